const KEY = '<circle cx="6" cy="10" r="2.25"/><path d="M7.6 8.4 12 4m-2 2 1.5 1.5"/>';

/** The logo of the dashboard. */
export const MARK: string = `<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/>${KEY}</svg>`;

/** The same as the icon of the page. */
export const ICON: string = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#4353c9"/><g fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round">${KEY}</g></svg>`,
)}`;

/** The colours are those of the dashboard, in `dashboard/style.css`. */
export const STYLE: string = `
:root{color-scheme:light dark;
--canvas:light-dark(#ffffff, #0e1015);--subtle:light-dark(#f7f8fa, #14171e);--text:light-dark(#1b1f27, #e8ebf1);
--quiet:light-dark(#5b6371, #9aa3b3);--line:light-dark(#e4e7ec, #262b36);--accent:light-dark(#3f4ec4, #a5b0ff);
--accent-solid:light-dark(#4353c9, #4f5fd6);--accent-soft:light-dark(#eef0fd, #1e2444);--success:light-dark(#146c35, #6fd08c);
--success-soft:light-dark(#e6f6eb, #12291b);--warning:light-dark(#7a4d00, #eac168);--warning-soft:light-dark(#fff6de, #2b230f);
--danger:light-dark(#b3202a, #ff9a9f);--danger-soft:light-dark(#fdf0f1, #34181c);
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
*{box-sizing:border-box}
html{background:var(--canvas);color:var(--text);font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;
text-size-adjust:100%;scroll-padding-top:16px}
body,h1,h2,h3,p,ul,figure{margin:0;padding:0}
ul{list-style:none}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code{font:.9em var(--mono);overflow-wrap:anywhere}
h1,h2,h3,b{font-weight:600}
h1{font-size:1.75rem;line-height:1.25;letter-spacing:-.01em}
h2{margin-top:40px;font-size:1.25rem}
section>h2,h2#schemas,h2#response-headers,h2#error-responses{margin-top:64px;font-size:1.5rem}
h3{margin-top:28px;font-size:1.125rem}
p{margin-top:8px;max-width:72ch}
.skip{position:absolute;left:-999px}
.skip:focus{left:8px;top:8px;padding:8px;background:var(--canvas)}
header{background:var(--subtle);border-bottom:1px solid var(--line)}
.bar,.frame{max-width:1360px;margin:0 auto;padding:0 24px}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;min-height:56px}
.bar nav{margin-left:auto}
.bar nav a{display:inline-block;padding:10px;color:var(--text);text-decoration:none}
.bar nav a:hover,.contents a:hover{text-decoration:underline}
.mark{width:26px;height:26px;flex:none;fill:none;stroke:#fff;stroke-width:1.5;stroke-linecap:round}
.mark rect{fill:var(--accent-solid);stroke:none}
.frame{display:grid;grid-template-columns:232px minmax(0,1fr);gap:40px}
.contents{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:16px 8px 24px 0}
.contents p{margin-top:16px;color:var(--quiet);font-size:.857rem;font-weight:600}
.contents a{display:flex;justify-content:space-between;align-items:center;gap:8px;min-height:28px;color:var(--text);text-decoration:none}
main{padding:24px 0 96px}
section>article{margin-top:36px;border-top:1px solid var(--line)}
.chip,.method{padding:0 7px;border-radius:10px;font-size:.857rem;font-weight:400;line-height:20px;white-space:nowrap;letter-spacing:0}
.chip{display:inline-block;border:1px solid var(--line);background:var(--subtle);color:var(--quiet)}
.method{font:600 .786rem/20px var(--mono)}
.get{background:var(--accent-soft);color:var(--accent)}
.post{background:var(--success-soft);color:var(--success)}
.patch,.put{background:var(--warning-soft);color:var(--warning)}
.delete{background:var(--danger-soft);color:var(--danger)}
.split{display:grid;gap:0 32px}
table{width:100%;margin-top:20px;border-spacing:0}
caption{padding-bottom:6px;font-weight:600;text-align:left}
th,td{padding:8px 12px 8px 0;border-top:1px solid var(--line);text-align:left;vertical-align:top;font-weight:400}
thead th{padding-block:4px;border:0;color:var(--quiet);font-size:.857rem}
th:first-child{width:30%}
h3+table{margin-top:4px}
h3+table caption,h2+table caption{position:absolute;clip-path:inset(50%)}
td:last-child{padding-right:0}
.rule{color:var(--quiet)}
figure{margin-top:20px;border:1px solid var(--line);border-radius:8px;background:var(--subtle);overflow:hidden}
figcaption{padding:6px 14px;border-bottom:1px solid var(--line);color:var(--quiet);font-size:.857rem;font-weight:600}
pre{margin:0;padding:12px 14px;white-space:pre-wrap;overflow-wrap:anywhere;}
@media(min-width:1180px){.split{grid-template-columns:minmax(0,1fr) minmax(0,420px)}}
@media(max-width:860px){.bar,.frame{padding-inline:16px}
.bar{padding-block:12px 0}.bar nav{width:100%;margin-left:-10px}
.frame{display:block}
.contents{position:static;max-height:none;columns:2;padding:0 0 16px;border-bottom:1px solid var(--line)}
.contents div{break-inside:avoid;padding-top:12px}.contents p{margin:0}
.contents .method{display:none}
table,tbody,tr,th,td,caption{display:block}thead{display:none}
tr{padding:8px 0;border-top:1px solid var(--line)}
tbody th,td{width:auto!important;padding:1px 0;border:0}
td[data-label=Type]{color:var(--quiet)}}
`;
