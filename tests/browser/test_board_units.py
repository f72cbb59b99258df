"""The boards one by one, in a real browser, with a position from the referee and nobody behind it:
the files of the site are served as they are, and no site runs."""

from __future__ import annotations

import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from games.engine import live as lives
from games.engine import records
from games.engine.reasons import COMMON
from games.engine.table import Header
from games.engine.views import match_view
from games.folders import folder_of
from games.rulesets import REGISTRY
from games.services.matches import options_of
from tests.browser.stage import PLAYTHROUGHS, course, whole
from tests.rulesets.domain.helpers import RULES as DOMAIN
from tests.rulesets.domain.helpers import Game
from tests.rulesets.peg_domain import helpers as pegs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
# A board of the given ruleset in an empty page, shown `view` as seat `you` has it. `said` is what
# it had to say, by way; `board` the object; `root` its element.
MOUNT = """
async ({module, view, you}) => {
  window.board?.destroy();
  document.body.replaceChildren(document.createElement('section'));
  const root = document.body.firstElementChild;
  root.style.width = '900px';
  root.className = 'match';
  root.dataset.plays = ''; // the bar with the buttons is for those who play
  const said = [];
  const api = {
    submit: (text) => said.push(['submit', text]),
    announce: (text) => said.push(['announce', text]),
    refuse: (text) => said.push(['refuse', text]),
    draft: () => {},
    dock: document.createElement('div'),
  };
  root.after(api.dock);
  const ruleset = await import(module);
  const board = ruleset.mount(root, api);
  const decision = view.decisions.find(({seat, sealed}) => seat === you) ?? null;
  const ctx = {
    you, header: {}, names: ['Ada', 'Ben'], decision, paused: view.paused,
    pending: null, refusal: null,
  };
  board.update(view, ctx);
  Object.assign(window, {said, board, root, ruleset, view, ctx});
}
"""


def module_of(ruleset_id: str) -> str:
    """The address of a ruleset's board among the repository's files."""
    folder = folder_of(REGISTRY.get(ruleset_id))
    return f"/{folder.relative_to(ROOT).as_posix()}/static/board.js"


def mount(page: Page, ruleset_id: str, view: dict[str, Any], you: int | None) -> None:
    page.add_style_tag(url=module_of(ruleset_id).replace(".js", ".css"))
    page.evaluate(MOUNT, {"module": module_of(ruleset_id), "view": view, "you": you})


def seen(rules: Any, table: Any, audience: Any) -> dict[str, Any]:
    return match_view(rules, lives.Live(table), audience, at=0)


class Files(SimpleHTTPRequestHandler):
    """The repository's files, without a word."""

    def log_message(self, *_said: object) -> None:
        """Nothing."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(ROOT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.set_default_timeout(20_000)
    page.goto(f"http://127.0.0.1:{server.server_port}/static/js/boards/README.md")
    page.set_content("<!doctype html><title>Boards</title>")
    for name in ("tokens", "base", "components", "match"):
        page.add_style_tag(url=f"/static/css/{name}.css")
    yield page
    page.close()
    server.shutdown()
    server.server_close()


# -- two fingers ---------------------------------------------------------------------------------

TWIST = """
async (degrees) => {
  const {twoFingers} = await import('/static/js/boards/kit.js');
  const pad = document.createElement('div');
  document.body.append(pad);
  let turned = 0;
  twoFingers(pad, (by) => { turned += by; });
  const send = (type, id, angle, more = {}) => {
    const at = (angle * Math.PI) / 180;
    const [x, y] = id === 1 ? [200, 200] : [200 + 100 * Math.cos(at), 200 + 100 * Math.sin(at)];
    const about = {pointerId: id, pointerType: 'touch', clientX: x, clientY: y};
    pad.dispatchEvent(new PointerEvent(type, about));
  };
  send('pointerdown', 1, 0);
  send('pointerdown', 2, 0);
  let angle = 0;
  for (const to of degrees) {
    const step = Math.sign(to - angle) * 5;
    while (angle !== to) send('pointermove', 2, (angle += step));
  }
  send('pointerup', 2, angle);
  send('pointerup', 1, angle);
  return turned;
}
"""


def a_twist_turns_as_far_as_the_fingers(page: Page) -> None:
    for path, turns in (
        ([90], 1), ([-90], -1), ([60], 1), ([115], 1), ([180], 2), ([270], 3), ([360], 4),
        ([30], 0), ([90, 0], 0), ([100, 45, 100, 45], 1), ([], 1),  # not twisted at all: a tap
    ):  # fmt: skip
        assert page.evaluate(TWIST, path) == turns, path


# -- moves that may be regretted ------------------------------------------------------------------


def a_rapid_removal_that_takes_nothing_is_asked_about(page: Page) -> None:
    now = pegs.begun("final", items=((1, "rapid-removal"),))
    mount(page, "peg-domain", seen(pegs.RULES, now.table, 1), 1)
    caution = "(texts) => texts.map((text) => board.caution(text))"
    empty, lower, some, plain = page.evaluate(
        caution, ["remove 3x3 D5", "  REMOVE 3x3  d5. ", "remove 3x3 F13", "remove F13"]
    )
    assert empty.startswith("Rapid Removal around D5 takes nothing")
    assert empty.endswith("It is used up all the same.")
    assert lower == empty
    assert (some, plain) == ("", "")
    # On the board it is the question that confirms.
    page.get_by_role("button", name="Rapid Removal").click()
    square = page.locator("[data-colour=red] rect[data-square=D5]")
    square.click()
    page.get_by_text("takes nothing: each square there").wait_for()
    assert page.evaluate("said.filter(([way]) => way === 'submit')") == []
    page.get_by_role("button", name="Use it up").click()
    assert page.evaluate("said.filter(([way]) => way === 'submit')") == [
        ["submit", "remove 3x3 D5"]
    ]


def challenged_once(**options: Any) -> Game:
    """Ben was wrong once already, and may challenge again."""
    game = Game(**options).placing().say(0, "01 > red 10,10 0").say(1, "challenge")
    if options:
        game.rule("rule valid")
    return game.say(1, "discard 02").say(0, "03 > blue 10,10 0")


def a_challenge_that_may_cost_says_so_before(page: Page) -> None:
    first = Game().placing().say(0, "01 > red 10,10 0")
    mount(page, "domain", seen(DOMAIN, first.table, 1), 1)
    assert page.evaluate("board.caution('challenge')") == ""
    mount(page, "domain", seen(DOMAIN, challenged_once().table, 1), 1)
    price = "the challenge costs 60 s of reserve, or what is left of it"
    assert price in page.evaluate("board.caution(' Challenge. ')")
    # It stands beside the button before anything is pressed, and is asked once more.
    assert page.locator(".board-tools p").get_by_text(price).is_visible()
    page.get_by_role("button", name="Challenge 03").click()
    assert price in page.locator(".confirm").filter(has_text="Claim").inner_text()


def the_line_during_a_dispute_says_who_decides_what(page: Page) -> None:
    game = challenged_once(review="organiser").say(1, "challenge")
    view = seen(DOMAIN, game.table, "room")
    mount(page, "domain", view, None)
    line = page.evaluate(
        """
        async (view) => {
          const {turnLine} = await import('/static/js/match/words.js');
          const names = ['Ada', 'Ben'];
          return [
            turnLine(view, null, names, {dispute: ruleset.dispute(view, names)}),
            turnLine(view, null, names),
          ];
        }
        """,
        view,
    )
    assert line[0]["text"] == (
        "Ben challenges 03. An organiser decides: if it does not lie validly it is discarded, "
        "otherwise it stays, and the challenge costs 60 s of reserve, or what is left of it. "
        "Ben goes on then; all clocks stand still."
    )
    assert line[1]["text"] == "An organiser has to rule. All clocks stand still."


# -- looking closely ------------------------------------------------------------------------------


def from_near_every_edge_of_the_shape_in_hand_can_be_seen(page: Page) -> None:
    game = Game().placing()
    mount(page, "domain", seen(DOMAIN, game.table, 0), 0)
    page.locator(".shape-pick").first.click()
    edge = page.get_by_role("button", name="Its edge")
    larger = page.get_by_role("button", name="Larger")
    for _ in range(3):
        larger.click()
    found = []
    for _ in range(4):
        edge.click()
        found.append(page.evaluate(
            """() => {
              const svg = root.querySelector('.domain__svg--zoomed');
              const {x, y, width, height} = svg.viewBox.baseVal;
              const ghost = board.ghost;
              const ring = board.game.pool.shapes.find(({id}) => id === ghost.shape).outline;
              const inside = ring.map(([a, b]) => [a + ghost.x, b + ghost.y]).filter(([a, b]) =>
                a >= x && a <= x + width && b >= y && b <= y + height);
              // Besides the score, which is told when the shape has lain still for a while.
              return [inside.length > 0, said.findLast(([, words]) => / edge/.test(words))[1]];
            }"""
        ))  # fmt: skip
    assert [seen_now for seen_now, _ in found] == [True] * 4
    assert [words.split(" edge")[0] for _, words in found] == [
        "Its top", "Its right", "Its bottom", "Its left",
    ]  # fmt: skip
    # And stays in sight while the shape is moved by a pixel.
    page.keyboard.press("ArrowRight")
    window = """() => {
      const {x, y} = root.querySelector('.domain__svg--zoomed').viewBox.baseVal;
      return [x, y];
    }"""
    before = page.evaluate(window)
    page.evaluate("root.querySelector('.domain__svg--zoomed').focus()")
    page.keyboard.press("ArrowLeft")
    after = page.evaluate(window)
    assert (before[0] - after[0], before[1] - after[1]) == (1, 0)


# -- what is said is seen, and what is done is said ------------------------------------------------


def no_refusal_is_for_screen_readers_alone(page: Page) -> None:
    """What is said at once is `refuse`d, which shows it as well."""
    boards = (ROOT / "static/js/boards").glob("*.js")
    for path in (*boards, *ROOT.glob("games/rulesets/*/static/*.js")):
        for line in path.read_text().splitlines():
            assert "now: true" not in line, f"{path.name}: {line.strip()}"


def own_turns() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Boards on which seat 0 has a turn and nothing in hand yet, and what is to be done first."""
    for name, kind, first in (
        ("domino-black-white.standard.points", "place", "Take a domino from your hand first."),
        ("domino-wars.standard.random", "play", "Take a domino from your hand first."),
    ):
        view = next(each.view for each in course(name) if each.asks(0, kind))
        yield name.split(".")[0], view, first
    cutting = seen(pegs.RULES, pegs.begun("gauntlet").table, 0)
    yield "peg-domain", cutting, "Draw on your pallet, from a peg to another one."
    placing = seen(DOMAIN, Game().placing().table, 0)
    yield "domain", placing, "Take one of your shapes first: press N."


def the_keys_of_the_help_are_never_silent(page: Page) -> None:
    """Where there is a piece to place it is said where it lies now, else why there is none."""
    for ruleset in REGISTRY:
        if not page.evaluate(
            "async (module) => (await import(module)).keys.some(([names]) => names.includes('N'))",
            module_of(ruleset.id),
        ):
            continue
        header = Header(
            ruleset=ruleset.id,
            variant=ruleset.variants[0].id,
            options=options_of(ruleset, {}),
            advantage=0,
        )
        begun = lives.begin(ruleset, header, at=0, random=Random(3).random).live
        mount(page, ruleset.id, match_view(ruleset, begun, 1, at=0), 1)
        helped: list[str] = page.evaluate(
            "async (module) => (await import(module)).keys.flatMap(([names]) => names)",
            module_of(ruleset.id),
        )
        # The arrows walk over the squares, the lens is there for everybody, and what is not there
        # need not be taken back.
        others = {*"←↑↓→+-", "Esc", "Backspace"}
        if ruleset.id == "domain":
            others |= {"L", "U"}  # what opens a tool does so whatever is asked
        keys = {key for key in helped if key not in others}
        assert {"N", "P", "R", "Enter"} <= keys
        for ctx, reason in (
            ("{decision: null}", "There is no "),
            ("{decision: null, paused: true}", "The match is paused."),
            ("{decision: null, pending: 'a move'}", "Your choice is on its way."),
        ):
            page.evaluate(f"board.update(view, {{...ctx, ...{ctx}}})")
            for key in sorted(keys | {"n", "r"}):
                page.evaluate("said.length = 0")
                page.keyboard.press(key)
                (way, words), *more = page.evaluate("said")
                assert (way, more) == ("refuse", []), (ruleset.id, key)
                assert words.startswith(reason), (ruleset.id, key)
    for ruleset_id, view, first in own_turns():
        mount(page, ruleset_id, view, 0)
        for key in ("R", "Enter", *("n" if ruleset_id != "domain" else "")):
            page.evaluate("said.length = 0")
            page.keyboard.press(key)
            assert page.evaluate("said") == [["refuse", first]], (ruleset_id, key)
    now = pegs.begun("gauntlet")
    mount(page, "peg-domain", seen(pegs.RULES, now.table, 0), 0)
    page.evaluate("board.cut = [[0, 0], [0, 1]]; board.update(view, ctx); said.length = 0")
    for key in "np":
        page.keyboard.press(key)
    assert [way for way, _ in page.evaluate("said")] == ["announce", "announce"]
    assert page.evaluate("said.every(([, words]) => words.startsWith('First peg on'))")


def the_focus_is_shown_without_a_ring_round_the_board(page: Page) -> None:
    mount(page, "domain", seen(DOMAIN, Game().placing().table, 0), 0)
    page.keyboard.press("Tab")
    page.evaluate("root.querySelector('.domain__svg').focus()")
    looks = page.evaluate(
        """() => {
          const svg = document.activeElement;
          const caption = svg.closest('.domain').querySelector('.domain__caption');
          return [svg.matches(':focus-visible'), getComputedStyle(svg).outlineStyle,
            getComputedStyle(caption).textDecorationLine];
        }"""
    )
    assert looks == [True, "none", "underline"]


# -- beside the board ------------------------------------------------------------------------------


def who_is_muted_sees_a_disabled_field_and_why(page: Page) -> None:
    found = page.evaluate(
        """async () => {
          const {Chat} = await import('/static/js/match/chat.js');
          const made = (silenced) => {
            const root = document.createElement('section');
            if (silenced) root.dataset.silenced = silenced;
            document.body.append(root);
            const client = new EventTarget();
            Object.assign(client, {username: 'ada', chatHistory: () => {}});
            const chat = new Chat(root, {client, signedIn: true, sound: () => {}});
            chat.update({you: 0, over: false});
            return {root, client};
          };
          const seen = ({root}) => {
            const input = root.querySelector('form input');
            const note = document.getElementById(input.getAttribute('aria-describedby'));
            const said = root.querySelector(`[id="${note.id}"]`);
            return [input.disabled, root.querySelector('form button').disabled, said.hidden,
              said.textContent];
          };
          const muted = made('You are muted until May.');
          const free = made('');
          const answers = [seen(muted), seen(free)];
          const detail = {entry: {}, refused: {code: 'chat.muted', sentence: 'You are muted.'}};
          free.client.dispatchEvent(new CustomEvent('settled', {detail}));
          return [...answers, seen(free)];
        }"""
    )
    assert found == [
        [True, True, False, "You are muted until May."],
        [False, False, True, ""],
        [True, True, False, "You are muted."],
    ]


def results_are_told_to_the_players_in_the_second_person(page: Page) -> None:
    """And to everybody else in the third; whatever the reason."""
    found = [each for ruleset in REGISTRY for each in (*ruleset.reasons, *COMMON)]
    told = page.evaluate(
        """async (given) => {
          const {resultText} = await import('/static/js/match/words.js');
          const names = ['Ada', 'Ben'];
          return given.map((told) => [0, 1, null].map(
            (you) => resultText({result: {winner: 0, scores: [5, 3]}, told}, names, you)));
        }""",
        [{"room": each.room, "winner": each.winner, "loser": each.loser} for each in found],
    )
    for reason, (winner, loser, room) in zip(found, told, strict=True):
        assert winner.startswith("You won"), reason
        assert loser.startswith("You lost"), reason
        assert "Ada" not in winner + loser.replace("Ada won two bouts", ""), reason
        assert "you" not in room.lower(), reason


# -- what is planned ------------------------------------------------------------------------------

# A recorded match of every game, and what is planned there.
PLANNED = {
    "peg-domain": ("peg-domain.gauntlet.points", r".+ > .+"),
    "domain": ("domain.standard.challenges", r".+ > .+|take .+"),
    "domino-wars": ("domino-wars.standard.random", r"\d\d .+"),
    "domino-black-white": ("domino-black-white.standard.points", r"\(.+"),
    "tetronogo": ("tetronogo.standard.random", r"[A-L]\d+ \d+|pick ."),
}
# Shows a move that was planned and confirms it: what could be planned, how many pictures there are
# of it, whether it was shown, and what was said.
PLAY = """(text) => {
  const {kind, view: {game}} = ruleset.plans(view, ctx.you);
  const ghosts = board.ghosts(text).map(({svg, d}) => root.contains(svg) && d.startsWith('M'));
  const shown = board.preview(text);
  const bar = document.querySelector('.confirm:not([hidden]) .button--primary:enabled');
  bar?.click();
  return {kind, legal: game.legal ?? null, ghosts, shown, said};
}"""


def moves_of(name: str, wanted: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """What was played in a recorded match: by whom, in which view of theirs, and how."""
    record = records.read((PLAYTHROUGHS / f"{name}.dmr.json").read_bytes())
    entries = [records.entry_of(each) for each in record.moves]
    seen_by = [whole(name, seat) for seat in (0, 1)]
    for at, entry in enumerate(entries):
        if entry.actor in (0, 1) and re.fullmatch(wanted, entry.text):
            position = seen_by[entry.actor][at]
            if position.asks(entry.actor):
                yield int(entry.actor), position.view, entry.text


def what_was_planned_is_shown_and_played_as_it_was_written(page: Page) -> None:
    """And where a domino fits in Domino Wars is worked out as the rules do."""
    for ruleset_id, (name, wanted) in PLANNED.items():
        moves = list(moves_of(name, wanted))
        assert len(moves) > 5, ruleset_id
        for seat, view, text in moves[:: max(1, len(moves) // 10)]:
            mount(page, ruleset_id, view, seat)
            found = page.evaluate(PLAY, text)
            asked = next(each["kind"] for each in view["decisions"] if each["seat"] == seat)
            assert (found["kind"], found["shown"]) == (asked, True), (text, found)
            assert ["submit", text] in found["said"], (text, found)
            picked = text.startswith(("take", "pick"))
            assert found["ghosts"] == ([] if picked else [True] * len(found["ghosts"])), text
            assert bool(found["ghosts"]) is not picked, text
            if ruleset_id == "domino-wars":
                legal, reckoned = view["game"]["legal"], found["legal"]
                assert legal.keys() == reckoned.keys(), text
                for domino, ways in legal.items():
                    assert sorted(reckoned[domino]) == sorted(ways), (text, domino)


def what_does_not_fit_any_more_is_refused_in_words(page: Page) -> None:
    for ruleset_id, (name, wanted) in PLANNED.items():
        moves = [
            each for each in moves_of(name, wanted) if not each[2].startswith(("take", "pick"))
        ]
        seat, _, text = moves[0]
        later = next(view for by, view, _ in reversed(moves) if by == seat)
        mount(page, ruleset_id, later, seat)
        found = page.evaluate(PLAY, text)
        assert [each for each in found["said"] if each[0] == "submit"] == [], (text, found)
        refused = [words for way, words in found["said"] if way == "refuse"]
        assert found["shown"], text
        assert refused or page.locator(".ghost--wrong").count() == 1, (text, found)


CASES = (
    what_was_planned_is_shown_and_played_as_it_was_written,
    what_does_not_fit_any_more_is_refused_in_words,
    who_is_muted_sees_a_disabled_field_and_why,
    results_are_told_to_the_players_in_the_second_person,
    no_refusal_is_for_screen_readers_alone,
    the_keys_of_the_help_are_never_silent,
    the_focus_is_shown_without_a_ring_round_the_board,
    a_twist_turns_as_far_as_the_fingers,
    a_rapid_removal_that_takes_nothing_is_asked_about,
    a_challenge_that_may_cost_says_so_before,
    the_line_during_a_dispute_says_who_decides_what,
    from_near_every_edge_of_the_shape_in_hand_can_be_seen,
)


def test_boards(page: Page, subtests: pytest.Subtests) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for case in CASES:
        with subtests.test(case.__name__):
            case(page)
    assert errors == []
