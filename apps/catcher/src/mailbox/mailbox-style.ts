/** The style sheet of all pages; light or dark as the browser prefers. */
export const style = `
:root{color-scheme:light dark;--ink:#1c1c1e;--soft:#6b6b70;--line:#e3e3e6;--paper:#fff;--back:#f6f6f7;--accent:#0a58ca;--good:#1a7f37;--bad:#c0392b}
@media(prefers-color-scheme:dark){:root{--ink:#ececee;--soft:#9a9aa0;--line:#36363a;--paper:#1f1f22;--back:#161618;--accent:#7fb0ff;--good:#57c76d;--bad:#ff7b72}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:8px 16px;padding:16px 24px;max-width:1160px;margin:0 auto}
header h1{margin:0;font-size:22px}.count{color:var(--soft)}.source,form{margin-left:auto}
form{display:flex;gap:8px}
input,button{font:inherit;padding:5px 12px;border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}
input{width:16em}button{cursor:pointer}
main{max-width:1112px;margin:0 auto 40px;background:var(--paper);border:1px solid var(--line);border-radius:12px;overflow:hidden}
main>h1{margin:20px 24px 12px;font-size:20px;overflow-wrap:anywhere}
.list{width:100%;border-collapse:collapse;table-layout:fixed}
th{padding:10px 24px 8px 0;text-align:left;font-weight:500;font-size:13px;color:var(--soft)}
td{padding:9px 24px 9px 0;border-top:1px solid var(--line);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
th:first-child,td:first-child{padding-left:24px;width:40%}th:last-child{width:15em}
.subject a{font-weight:600;color:inherit}tbody tr:hover{background:var(--back)}
time{font-variant-numeric:tabular-nums;color:var(--soft);white-space:nowrap}
nav{display:flex;justify-content:space-between;padding:12px 24px;border-top:1px solid var(--line);color:var(--soft)}
.empty{padding:48px 24px;margin:0;text-align:center;color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:0 24px 20px}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
section,details{padding:16px 24px;border-top:1px solid var(--line)}
h2,summary{margin:0 0 10px;font-size:13px;font-weight:500;color:var(--soft)}summary{margin:0;cursor:pointer}
iframe{display:block;width:100%;height:66vh;border:1px solid var(--line);border-radius:8px;background:#fff;resize:vertical}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
details pre{margin-top:10px}section dl{margin:0}.good{color:var(--good)}.bad{color:var(--bad)}#source pre{max-height:66vh;overflow:auto}ul{margin:0;padding-left:18px}small{color:var(--soft)}
@media(max-width:720px){
header{padding:12px 16px}main{border-radius:0;border-width:1px 0}main>h1{margin:16px 16px 8px;font-size:18px}dl,section,details{margin-left:0;margin-right:0;padding-left:16px;padding-right:16px}
form{margin:0;width:100%}input{flex:1;width:auto;min-width:0}input,button{padding:9px 12px;font-size:16px}
.list,.list tbody{display:block}.list thead{display:none}
.list tr{display:grid;grid-template-columns:minmax(0,1fr) max-content;gap:2px 12px;padding:12px 16px;border-top:1px solid var(--line)}.list tr:first-child{border-top:0}
.list td,.list td:first-child{display:block;width:auto;padding:0;border:0}.list .subject{grid-column:1/-1}.list .subject a{display:block;overflow:hidden;text-overflow:ellipsis}
.list .from{grid-column:1/-1}.list .to{color:var(--soft)}
nav{padding:14px 16px}nav a,header a,summary{padding:6px 0}
dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 8px}section dl{padding:0}
iframe{height:70vh;border-radius:0;border-width:1px 0;margin:0 -16px;width:calc(100% + 32px)}
}
`;
