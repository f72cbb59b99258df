"""Addresses of the pages."""

from django.urls import include, path

from games.views import (
    boards,
    challenges,
    chat,
    hosting,
    imports,
    learn,
    lists,
    matches,
    organise,
    practice,
    rules,
    seeks,
)

app_name = "games"

urlpatterns = [
    path("", lists.home, name="home"),
    path("lobby/", lists.lobby, name="lobby"),
    path("lobby/seek/", seeks.seek, name="seek"),
    path("lobby/seek/cancel/", seeks.seek_cancel_view, name="seek_cancel"),
    path("watch/", lists.watch, name="watch"),
    path("practice/", practice.practice, name="practice"),
    path("learn/", learn.learn, name="learn"),
    path("learn/<slug:ruleset_id>/<slug:variant_id>/", learn.cards, name="learn_cards"),
    path("learn/<slug:ruleset_id>/<slug:variant_id>/lesson/", learn.lesson, name="lesson"),
    path("challenges/new/", challenges.challenge_new, name="challenge_new"),
    path("challenges/<int:challenge_id>/", challenges.challenge_detail, name="challenge_detail"),
    path(
        "challenges/<int:challenge_id>/accept/",
        challenges.challenge_accept_view,
        name="challenge_accept",
    ),
    path(
        "challenges/<int:challenge_id>/decline/",
        challenges.challenge_decline_view,
        name="challenge_decline",
    ),
    path(
        "challenges/<int:challenge_id>/cancel/",
        challenges.challenge_cancel_view,
        name="challenge_cancel",
    ),
    path("invite/<slug:token>/", challenges.invite, name="invite"),
    path("invite/<slug:token>/accept/", challenges.invite_accept, name="invite_accept"),
    path("matches/mine/", lists.mine, name="mine"),
    path("matches/next/", matches.next_match, name="next"),
    path("matches/<int:match_id>/", matches.match_page, name="match"),
    path("matches/<int:match_id>/rematch/", matches.rematch, name="rematch"),
    path("matches/<int:match_id>/replay/", matches.replay_page, name="replay"),
    path("matches/<int:match_id>/replay/steps/", matches.replay_steps, name="replay_steps"),
    path("matches/<int:match_id>/record.dmr.json", matches.record, name="record"),
    path("matches/<int:match_id>/share.png", matches.share, name="match_share"),
    path("matches/<int:match_id>/board.svg", boards.board_svg, name="board"),
    path("matches/<int:match_id>/board.png", boards.board_png, name="board_png"),
    path("matches/<int:match_id>/board/<int:number>.png", boards.board_after, name="board_after"),
    path(
        "matches/<int:match_id>/board/<int:number>.svg",
        boards.board_after_svg,
        name="board_after_svg",
    ),
    path(
        "matches/<int:match_id>/board/<int:first>-<int:last>.gif",
        boards.board_clip,
        name="board_clip",
    ),
    path("matches/<int:match_id>/paint.png", boards.paint_template, name="paint_template"),
    path("matches/<int:match_id>/paint/", boards.paint_read, name="paint_read"),
    path("matches/<int:match_id>/dispute/", matches.dispute, name="dispute"),
    path("matches/<int:match_id>/feature/", organise.feature, name="feature"),
    path("chat/<int:message_id>/remove/", chat.remove, name="chat_remove"),
    path("records/import/", imports.import_record, name="import_record"),
    path("organise/", organise.queue, name="organise"),
    path("organise/prepared/", organise.prepared_list, name="prepared_list"),
    path(
        "organise/prepared/new/<slug:ruleset_id>/<slug:key>/",
        organise.prepared_new,
        name="prepared_new",
    ),
    path(
        "organise/prepared/new/<slug:ruleset_id>/<slug:key>/check/",
        organise.supply_check,
        name="prepared_check",
    ),
    path(
        "organise/prepared/new/<slug:ruleset_id>/<slug:key>/outlines/",
        organise.supply_outlines,
        name="prepared_outlines",
    ),
    path(
        "organise/prepared/new/<slug:ruleset_id>/<slug:key>/<slug:name>/",
        organise.supply_file,
        name="supply_file",
    ),
    path("organise/prepared/<int:preparation_id>/", organise.prepared, name="prepared"),
    path(
        "organise/prepared/<int:preparation_id>/file/",
        organise.prepared_file,
        name="prepared_file",
    ),
    path(
        "organise/prepared/<int:preparation_id>/delete/",
        organise.prepared_delete,
        name="prepared_delete",
    ),
    path("organise/hosted/", hosting.hosted_list, name="hosted_list"),
    path("organise/hosted/new/", hosting.hosted_new, name="hosted_new"),
    path("hosted/<int:hosted_id>/", hosting.hosted, name="hosted"),
    path("hosted/<int:hosted_id>/accept/", hosting.hosted_accept_view, name="hosted_accept"),
    path("hosted/<int:hosted_id>/decline/", hosting.hosted_decline_view, name="hosted_decline"),
    path("hosted/<int:hosted_id>/cancel/", hosting.hosted_cancel_view, name="hosted_cancel"),
    path("rules/", rules.rules_index, name="rules_index"),
    path("rules/<slug:ruleset_id>/", rules.rules_page, name="rules"),
    path(
        "rules/<slug:ruleset_id>/figures/<slug:name>.svg", rules.rules_figure, name="rules_figure"
    ),
    path("", include("games.ratings.urls")),
]
