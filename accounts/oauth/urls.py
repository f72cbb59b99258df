"""Addresses of OAuth 2, under the names that the library asks for."""

from django.urls import path
from oauth2_provider.views import OAuthServerMetadataView, RevokeTokenView

from accounts.oauth.pages import AuthorizationView, TokenView, open_to_other_sites

app_name = "oauth2_provider"
urlpatterns = [
    path("oauth/authorize/", AuthorizationView.as_view(), name="authorize"),
    path("oauth/token/", open_to_other_sites(TokenView.as_view()), name="token"),
    path("oauth/revoke/", open_to_other_sites(RevokeTokenView.as_view()), name="revoke-token"),
    path(
        ".well-known/oauth-authorization-server",
        OAuthServerMetadataView.as_view(),
        name="oauth-server-metadata",
    ),
]
