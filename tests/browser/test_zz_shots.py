"""Screenshots of peg domain."""
import os,re,pytest
from tests.browser import players
from tests.browser.players import is_asked, choose
def submit(page,text):
    page.locator("#notation-text").fill(text)
    page.locator("#notation-text").press("Enter")
def test_shots(site,new_page):
    try:
        run(site,new_page)
    finally:
        print("ERRORS", new_page.errors)
def run(site,new_page):
    game=players.start(site,"peg-domain",variant="final",items=((0,"rapid-removal"),(1,"additional-peg"),(1,"peg-subtraction")))
    ada=game.open(new_page,"Ada",viewport={"width":1440,"height":900}); ben=game.open(new_page,"Ben",viewport={"width":360,"height":740},has_touch=True,is_mobile=True,color_scheme="dark")
    is_asked(ada); ada.screenshot(path="/tmp/s1.png")
    choose(ada,"Order","Take order")
    is_asked(ben); ben.wait_for_timeout(500); ben.screenshot(path="/tmp/s2.png",full_page=True)
    legal=ben.locator(".trio__pallet[data-colour=red] .square--legal").first
    sq=legal.locator("xpath=..").get_attribute("data-square")
    submit(ben,f"extra peg red {sq}"); ben.wait_for_timeout(700)
    submit(ben,"ready"); submit(ada,"ready"); is_asked(ada)
    choose(ada,"Go first","Go first"); is_asked(ben); choose(ben,"Blue","Play blue"); is_asked(ada)
    # find a short path on the red pallet
    import json
    rows=ada.evaluate("JSON.parse(document.getElementById('match-sync').textContent)") 
    state=ada.evaluate("async()=>(await fetch(document.querySelector('#match').dataset.state)).json()")
    pal=state["view"]["game"]["pallets"][0]["rows"]
    def find(rows):
        from collections import deque
        best=None
        for r in range(16):
            for c in range(12):
                if rows[r][c]!="o": continue
                q=deque([((c,r),[(c,r)])]); seen={(c,r)}
                while q:
                    (x,y),path=q.popleft()
                    for dx,dy in ((0,-1),(1,0),(0,1),(-1,0)):
                        n=(x+dx,y+dy)
                        if not(0<=n[0]<12 and 0<=n[1]<16) or n in seen: continue
                        m=rows[n[1]][n[0]]
                        if m=="o":
                            p=path+[n]
                            if len(p) in(4,5): return p
                            continue
                        if m==".": seen.add(n); q.append((n,path+[n]))
    p=find(pal); print(p)
    name=lambda q:"ABCDEFGHIJKL"[q[0]]+str(q[1]+1)
    cell=lambda page,board,q: page.locator(f"{board} [data-square={name(q)}] rect").first
    box=[cell(ada,".trio__pallet[data-colour=red]",q).bounding_box() for q in p]
    mid=lambda b:(b["x"]+b["width"]/2,b["y"]+b["height"]/2)
    ada.mouse.move(*mid(box[0])); ada.mouse.down()
    for b in box[1:]: ada.mouse.move(*mid(b),steps=4)
    ada.mouse.up(); ada.wait_for_timeout(200); ada.screenshot(path="/tmp/s3.png")
    d=cell(ada,".trio__domain",(4,4)); b=d.bounding_box(); ada.mouse.move(*mid(b)); ada.mouse.wheel(0,100); ada.wait_for_timeout(300)
    ada.mouse.click(*mid(b)); ada.wait_for_timeout(300); ada.screenshot(path="/tmp/s4.png")
    is_asked(ben); ben.wait_for_timeout(300); ben.screenshot(path="/tmp/s5.png",full_page=True)
    rem=ben.locator(".trio__pallet[data-colour=red] .square--legal").first; rem.scroll_into_view_if_needed(); rem.tap(); ben.wait_for_timeout(300)
    ben.screenshot(path="/tmp/s6.png"); ben.get_by_role("button",name="Remove",exact=True).tap(); ben.wait_for_timeout(500); ben.screenshot(path="/tmp/s7.png")
    ada.get_by_role("button",name="Place",exact=True).click(); is_asked(ben); ben.wait_for_timeout(600)
    ada.screenshot(path="/tmp/s8.png"); ben.screenshot(path="/tmp/s9.png",full_page=True)
    dark=game.open(new_page,None,viewport={"width":1440,"height":900},color_scheme="dark"); dark.wait_for_timeout(400); dark.screenshot(path="/tmp/s10.png")
    rp=new_page(viewport={"width":1200,"height":900}); rp.goto("/rules/peg-domain/"); rp.wait_for_timeout(300); rp.screenshot(path="/tmp/s11.png",full_page=True)
    print(new_page.errors)
