import { createHash } from 'node:crypto';

/**
 * Shows the HTML that the page sends over a MessagePort, in place, so that the scroll stays. It reports the height of the
 * mail and the links that are clicked, and follows none. What a mail would run, load as a document or redirect is taken out;
 * the policy of the frame would refuse it too.
 */
const script = `addEventListener('message',(event)=>{
const port=event.ports[0];
if(event.source!==parent||!port)return;
const copy=(from,to)=>{
for(const{name}of[...to.attributes])to.removeAttribute(name);
for(const{name,value}of from.attributes)try{to.setAttribute(name,value)}catch{}
to.replaceChildren(...from.childNodes);
};
const measure=()=>port.postMessage({height:Math.ceil(document.documentElement.getBoundingClientRect().height)});
port.onmessage=({data})=>{
if(typeof data?.html!=='string')return;
const mail=new DOMParser().parseFromString(data.html,'text/html');
for(const node of mail.querySelectorAll('script,base,meta[http-equiv],link,iframe,frame,object,embed'))node.remove();
for(const node of mail.querySelectorAll('*'))
for(const{name,value}of[...node.attributes])
if(/^on|^formaction$/i.test(name)||/^javascript:/i.test(value.replace(/[\\0- ]/g,'')))node.removeAttribute(name);
copy(mail.head,document.head);
copy(mail.body,document.body);
measure();
};
new ResizeObserver(measure).observe(document.documentElement);
addEventListener('click',(click)=>{
const link=click.target instanceof Element&&click.target.closest('a,area');
if(!link)return;
click.preventDefault();
port.postMessage({link:link.getAttribute('href')??''});
},true);
addEventListener('submit',(submit)=>submit.preventDefault(),true);
port.start();
port.postMessage({ready:true});
},{once:true});`;

const scriptHash = createHash('sha256').update(script).digest('base64');

/** The page that shows mails: empty until the dashboard sends it one. */
export const previewHtml = `<!doctype html><html><head><meta charset="utf-8"><title>Preview</title></head><body><script>${script}</script></body></html>`;

/**
 * A `srcdoc` frame would inherit the dashboard's policy, which takes all styles of a mail away; this one has a policy
 * of its own and, by the sandbox, an origin that owns nothing.
 */
export const previewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' https: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};
