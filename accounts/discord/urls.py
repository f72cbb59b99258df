"""Addresses of signing in by Discord, under the names that the library asks for, in place of its
own."""

from django.urls import path

from accounts.discord.pages import callback_page, login_page, signup_page

urlpatterns = [
    path("login/", login_page, name="discord_login"),
    path("login/callback/", callback_page, name="discord_callback"),
    path("signup/", signup_page, name="socialaccount_signup"),
]
