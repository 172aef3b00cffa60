/** The pages' one style sheet, light or dark as the reader's system is. */
export const style = `
:root{color-scheme:light dark;--ink:#1c1c1e;--soft:#6b6b70;--line:#e3e3e6;--paper:#fff;--back:#f6f6f7;--accent:#0a58ca}
@media(prefers-color-scheme:dark){:root{--ink:#ececee;--soft:#9a9aa0;--line:#36363a;--paper:#1f1f22;--back:#161618;--accent:#7fb0ff}}
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
th:first-child,td:first-child{padding-left:24px;width:40%}th:last-child{width:13.5em}
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
details pre{margin-top:10px}ul{margin:0;padding-left:18px}small{color:var(--soft)}
@media(max-width:720px){th:nth-child(2),td:nth-child(2){display:none}header,main>h1,section,details{padding-left:16px;padding-right:16px}form{margin:0;width:100%}input{width:100%}}
`;
