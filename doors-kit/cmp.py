import sys, json
sys.path.insert(0,'/work/h/sc')
import re
# own reader without django
WHO="nobody suspended guest player seat contestant organiser helper rival moderator admin bot commentator staff clerk".split()
OUT=("nobody","suspended","guest")
def read_cell(text):
    usual,*others=text.split(); cell=dict.fromkeys(WHO,usual)
    for o in others:
        names,_,st=o.partition(":")
        for n in names.split(","):
            cell.update(dict.fromkeys(OUT if n=="outside" else (n,),st))
    return cell
API=("GET","POST","PUT","PATCH","DELETE","OPTIONS"); PG=("GET","POST","OPTIONS")
def table():
    t={}
    for line in open('/work/h/sc/tests/security/every_door/doors.txt'):
        if line.startswith('#') or not line.strip(): continue
        r,*cells=[x.strip() for x in line.split('|')]
        t[r]={m:read_cell(c) for m,c in zip(API if r.startswith('api:') else PG,cells)}
    return t
if __name__=="__main__":
    t=table()
    for name in sys.argv[1:]:
        h=json.load(open(f'/tmp/heard/{name}.json'))
        for r,ans in h.items():
            d=[]
            for m,a in ans.items():
                if m=="HEAD": 
                    e=t[r]["GET"][name]
                elif m not in t[r]: e="405"
                else: e=t[r][m][name]
                if a!=e: d.append(f"{m} {a} not {e}")
            if d: print(name, r, "; ".join(d))
