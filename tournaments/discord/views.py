"""Where Discord tells of what people do there."""

from __future__ import annotations

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from core.clock import now_ms
from core.instants import instant_of_request, reading_of_request
from tournaments.discord import answering, signing
from tournaments.discord.arriving import BODY_MOST, SIGNATURE, STAMP
from tournaments.discord.interactions import Kind, decoder


@csrf_exempt
@never_cache
def interactions(request: HttpRequest) -> HttpResponse:
    """Take what Discord has signed, and answer it. There is nothing here where the site has no
    application's key."""
    if not signing.is_switched_on():
        raise Http404
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    body = request.body
    if len(body) > BODY_MOST:
        return HttpResponse(status=413)
    signature = request.headers.get(SIGNATURE, "")
    stamp = request.headers.get(STAMP, "")
    if not signing.is_discords(body, signature=signature, stamp=stamp, at=now_ms()):
        return HttpResponse("invalid request signature", status=401, content_type="text/plain")
    try:
        interaction = decoder.decode(body)
    except msgspec.DecodeError:
        return HttpResponse(status=400)
    if interaction.type == Kind.PING:
        return JsonResponse(answering.PONG)
    if not interaction.id.isascii() or not interaction.id.isdigit() or len(interaction.id) > 20:
        return HttpResponse(status=400)
    if not answering.is_new(interaction):
        return HttpResponse(status=409)
    at, came = instant_of_request(request), reading_of_request(request)
    return JsonResponse(answering.answer(interaction, at=at, came=came))
