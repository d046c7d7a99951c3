var c={reactions:"Reactions",trigger:"React",react:n=>`React with ${n}`,remove:n=>`Remove ${n}`,reacted:n=>`Reacted with ${n}`,failed:n=>`${n} was not sent`,sending:n=>`${n} is being sent`,retry:"Try again",discard:"Discard",more:n=>`${n} more`,search:"Search emoji",found:n=>n===1?"1 emoji":`${n} emoji`,who:"Who reacted",all:"All",nobody:"Nobody is named here",close:"Close"},k=new Map;function B(n){for(let e of n)k.set(e.reaction,e)}var j=()=>[...k.values()],m=n=>k.get(n)?.name??n;function b(n,e="small"){let t=k.get(n),i=t?.[e]??t?.small??t?.large,s=p(i?"img":"span",{part:"glyph","aria-hidden":"true"});return i?Object.assign(s,{src:i,alt:""}):s.textContent=n,s}function p(n,e={},...t){let i=document.createElement(n);for(let[s,r]of Object.entries(e))i.setAttribute(s,r);return i.append(...t),i}function w(n,e,t,i,s){let r=new Map([...n.children].map(o=>[o.key,o])),a=n.firstElementChild;for(let o of e){let l=r.get(t(o));l?r.delete(l.key):l=Object.assign(i(o),{key:t(o)}),s?.(l,o),l===a?a=a.nextElementSibling:n.insertBefore(l,a)}for(let o of r.values())o.matches(":focus-within")&&(o.nextElementSibling??o.previousElementSibling)?.focus(),o.remove()}var F={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};function x(n,e){let t=F[e.key];if(!t)return!1;let i=e.composedPath()[0].getBoundingClientRect(),[s,r]=[i.x+i.width/2,i.y+i.height/2],a=null,o=1/0;for(let l of n){let d=l.getBoundingClientRect(),f=t[0]*(d.x+d.width/2-s)+t[1]*(d.y+d.height/2-r),u=t[0]?Math.max(0,d.top-r,r-d.bottom):Math.max(0,d.left-s,s-d.right);f>4&&f+3*u<o&&(t[1]||u<20)&&(a=l,o=f+3*u)}return a?(e.preventDefault(),a.focus(),!0):!1}var O=new Set;function N(n){O.has(n)||console.warn(n),O.add(n)}var I=2e3,U=400,V=10;function $(n,e,t){n.addEventListener("pointerdown",i=>{if(i.button!==0||!i.isPrimary||!e(i))return;let s=new AbortController,{signal:r}=s,a=()=>s.abort(),o=setTimeout(()=>{a(),R(),t()},U);r.addEventListener("abort",()=>clearTimeout(o));for(let l of["pointerup","pointercancel","dragstart"])addEventListener(l,a,{signal:r});addEventListener("pointerdown",a,{signal:r,capture:!0}),addEventListener("pointermove",l=>{Math.hypot(l.clientX-i.clientX,l.clientY-i.clientY)>V&&a()},{signal:r})})}function R(){let n=new AbortController,e={signal:n.signal,capture:!0};addEventListener("click",t=>{t.preventDefault(),t.stopImmediatePropagation(),n.abort()},e),addEventListener("pointerdown",()=>n.abort(),e),addEventListener("keydown",()=>n.abort(),e)}var X=globalThis.trustedTypes?.createPolicy("fanfare",{createHTML:n=>n}),h=class extends HTMLElement{#e;#t;#i=!1;static get observedAttributes(){return["message"]}constructor(e,t){super(),this.attachShadow({mode:"open"}).adoptedStyleSheets=[Y(e)],this.shadowRoot.innerHTML=X?.createHTML(t)??t,this.drawWords?.()}get owner(){let{host:e}=this.getRootNode();return e instanceof h?e:this.parentElement?.closest("fanfare-bubble")}get channel(){return this.#e??this.owner?.channel}set channel(e){if(e&&!e.view)throw new TypeError(this.#s);this.#e=e,this.attach()}get#s(){return`${this.localName}: \`channel\` must be a channel of a client`}get message(){return this.getAttribute("message")??this.owner?.message??""}set message(e){this.setAttribute("message",e)}get view(){return this.channel?.view(this.message)??{reactions:[],own:[]}}get watches(){return this.channel.policy!=="ephemeral"||this.hasAttribute("message")}get isOpenToReactions(){let{channel:e}=this;return e&&!e.error&&!e.frozen&&!this.view.deleted&&(this.setting("canReact")?.(this.message)??!0)}setting(e){return this[e]??this.owner?.[e]}$(e){return this.shadowRoot.querySelector(e)}connectedCallback(){for(let e of Object.keys(this)){let t=this[e];e in Object.getPrototypeOf(this)&&(delete this[e],this[e]=t)}this.attach(),setTimeout(()=>{!this.isConnected||this.owner||this.channel||N(this.#e?`${this.localName}: \`message\` is missing`:this.#s)},I)}disconnectedCallback(){this.#t?.abort()}attributeChangedCallback(e){e==="message"&&this.isConnected&&this.attach()}attach(){let{channel:e,message:t}=this;if(!this.isConnected||!(e||this.#t))return;this.#t?.abort();let{signal:i}=this.#t=new AbortController;e?.addEventListener("change",({detail:r})=>r.message===t&&this.update(),{signal:i});for(let r of["frozen","error"])e?.addEventListener(r,()=>this.update(),{signal:i});let s=()=>{this.watches&&!this.owner&&i.addEventListener("abort",e.observe(this,t)),this.update()};e?.policy?s():e?.addEventListener("ready",s,{signal:i,once:!0}),this.follow?.(e,t,i),this.update()}update(){this.#i||(this.#i=!0,queueMicrotask(()=>{this.#i=!1,this.isConnected&&(this.drawWords?.(),this.render())}))}choose(e){let{channel:t,message:i,view:s}=this,r=s.reactions.find(o=>o.reaction===e),a=!["multiple","ephemeral"].includes(t.policy)&&s.own.includes(e);this.tell("react",{message:i,reaction:e,removed:a})&&(r?.status==="failed"?t.retry(i,e):t[a?"remove":"add"](i,e).catch(()=>{}))}tell(e,t){return this.dispatchEvent(new CustomEvent(`fanfare-${e}`,{detail:t,bubbles:!0,composed:!0,cancelable:!0}))}};function v(n,e){customElements.get(n)||customElements.define(n,e)}var M=new Map;function Y(n){if(!M.has(n)){let e=new CSSStyleSheet;e.replaceSync(_+n),M.set(n,e)}return M.get(n)}var _=`
:host {
    --accent: var(--fanfare-accent, light-dark(#0070f0, #0a70e8));
    --surface: var(--fanfare-surface, light-dark(#fff, #2c2c2e));
    --text: var(--fanfare-text, light-dark(#1c1c1e, #f5f5f7));
    --muted: var(--fanfare-muted, light-dark(#6b6b70, #a5a5ac));
    --badge: var(--fanfare-badge, light-dark(#e9e9eb, #3a3a3c));
    --danger: var(--fanfare-danger, light-dark(#d70015, #ff6961));
    --line: light-dark(#0000001a, #ffffff26);
    --shadow: 0 8px 28px light-dark(#0000002e, #0009), 0 0 0 .5px var(--line);
    font-family: var(--fanfare-font, system-ui, sans-serif);
    -webkit-tap-highlight-color: transparent;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { all: unset; box-sizing: border-box; cursor: pointer; display: grid; place-items: center; touch-action: manipulation;
    user-select: none; -webkit-user-select: none; }
button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
button:disabled { cursor: default; opacity: .4; }
[part~=glyph] { font-family: "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji", system-ui, sans-serif; line-height: 1;
    display: inline-block; max-inline-size: 5em; overflow-x: clip; text-overflow: ellipsis; white-space: nowrap; }
img[part~=glyph] { block-size: 1em; inline-size: 1em; object-fit: contain; }
.quiet { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[popover] { position: fixed; inset: auto; margin: 0; padding: 0; border: 0; background: none; color: var(--text);
    overflow: visible;
    opacity: 0; transition: opacity .15s, display .15s allow-discrete, overlay .15s allow-discrete; }
[popover]:popover-open { opacity: 1; }
@starting-style { [popover]:popover-open { opacity: 0; } }
@media (forced-colors: active) { button, [part~=panel] { border: 1px solid; } }
`;function H(n,e){let t=Math.max(e,1),i=n.length>t?t-1:n.length;return{shown:n.slice(0,i),hidden:n.slice(i)}}var z=class extends h{#e=null;static get observedAttributes(){return["message","limit"]}constructor(){super(Q,K);let e=this.$("#list");e.addEventListener("keydown",i=>x(e.children,i));let t=()=>this.tell("overview",{message:this.message});$(e,()=>!0,t),e.addEventListener("contextmenu",i=>{i.preventDefault(),t()});for(let i of["retry","discard"])this.$(`#${i}`).addEventListener("click",()=>{this.channel[i](this.message,this.#e),this.$("#menu").hidePopover()})}drawWords(){this.$("#list").setAttribute("aria-label",c.reactions),this.$("#retry").textContent=c.retry,this.$("#discard").textContent=c.discard}attributeChangedCallback(e){e==="limit"?this.update():super.attributeChangedCallback(e)}get limit(){return Number(this.getAttribute("limit")??this.owner?.getAttribute("limit")??5)}render(){let{shown:e,hidden:t}=H(this.view.reactions.toReversed(),this.limit),i=t.length>0?[...e,{reaction:"",hidden:t}]:e,s=this.shadowRoot.activeElement,r=(o,l)=>l.hidden?this.#s(o,l.hidden):this.#i(o,l);w(this.$("#list"),i,o=>o.reaction,o=>this.#t(o),r),[...this.$("#list").children].forEach((o,l)=>o.style.zIndex=i.length-l),s&&!this.shadowRoot.activeElement&&this.owner?.focus(),e.find(o=>o.reaction===this.#e)?.status!=="failed"&&this.$("#menu").matches(":popover-open")&&this.$("#menu").hidePopover()}#t({reaction:e,hidden:t}){let i=p("button");return t?(i.append(p("slot",{name:"overflow"},p("span",{part:"count"}))),i.addEventListener("click",()=>this.tell("overview",{message:this.message}))):(i.append(p("slot",{name:`badge-${e}`},b(e),p("span",{part:"count"}))),i.addEventListener("click",()=>this.#o(i,e))),i}#i(e,{reaction:t,count:i,own:s,status:r,latest:a=[],error:o}){let l=m(t);e.setAttribute("part",["badge",s&&"own",r].filter(Boolean).join(" "));let d=s?c.remove(l):c.react(l),f=s?c.reacted(l):"";e.setAttribute("aria-label",r==="failed"?c.failed(l):d),e.setAttribute("aria-pressed",s),e.setAttribute("aria-busy",r==="sending");let u={sending:c.sending(l),failed:o?.message}[r]??f;e.setAttribute("aria-description",[u,i,a.join(", ")].filter(Boolean).join(". ")),e.querySelector("[part=count]").textContent=i>1?J(i):""}#s(e,t){let i=t.filter(r=>r.own);e.setAttribute("part",i.length>0?"badge overflow own":"badge overflow"),e.setAttribute("aria-label",c.more(t.length));let s=i.map(r=>m(r.reaction)).join(", ");e.setAttribute("aria-description",s&&c.reacted(s)),e.querySelector("[part=count]").textContent=`+${t.length}`}#o(e,t){let i=this.view.reactions.find(s=>s.reaction===t);i?.status==="failed"?this.#n(e,i):this.isOpenToReactions?this.choose(t):this.tell("overview",{message:this.message})}#n(e,{reaction:t,error:i}){this.#e=t,this.$("#why").textContent=i?.message??c.failed(m(t));let s=this.$("#menu");s.showPopover();let r=e.getBoundingClientRect(),{clientWidth:a,clientHeight:o}=document.documentElement,l=r.left+r.width/2-s.offsetWidth/2;s.style.left=`${Math.max(8,Math.min(l,a-s.offsetWidth-8))}px`;let d=r.bottom+6;s.style.top=`${d+s.offsetHeight<o?d:r.top-s.offsetHeight-6}px`,this.$("#retry").focus()}},G=new Intl.NumberFormat("en",{notation:"compact",maximumFractionDigits:1}),J=n=>G.format(n);try{CSS.registerProperty({name:"--fanfare-turn",syntax:"<angle>",inherits:!1,initialValue:"0deg"})}catch{}var K=`
<div id="list" part="list" role="group"></div>
<div id="menu" part="menu panel" popover role="dialog" aria-labelledby="why">
    <p id="why"></p><button id="retry" part="retry"></button><button id="discard" part="discard"></button></div>`,Q=`
:host { display: block; inline-size: fit-content; --size: var(--fanfare-badge-size, 30px); }
#list { display: flex; flex-direction: var(--flow, row); }
[part~=badge] { position: relative; min-inline-size: var(--size); block-size: var(--size); padding-inline: 6px;
    margin-inline: -2.5px; grid-auto-flow: column; gap: 3px;
    border-radius: 99px; background: var(--badge); color: var(--text); box-shadow: 0 0 0 2px var(--fanfare-page, Canvas);
    font-size: calc(var(--size) * .5); transition: background .2s;
    animation: pop .35s cubic-bezier(.3, 1.6, .6, 1) backwards; }
[part=count]:empty { display: none; }
[part=count] { font-size: calc(var(--size) * .4); font-weight: 600; font-variant-numeric: tabular-nums; }
[part~=own] { background: var(--accent); color: #fff; }
/* One lies below the one before it. */
[part~=badge]:not(:first-child) { padding-inline: var(--before, 12px) var(--after, 6px); }
[part~=sending]::after { content: ""; position: absolute; inset: -3px; border-radius: inherit; padding: 2px;
    animation: turn 1.2s linear infinite;
    background: conic-gradient(from var(--fanfare-turn), var(--accent), transparent 70%, var(--accent));
    mask: linear-gradient(#000 0 0) content-box exclude, linear-gradient(#000 0 0); }
[part~=failed] { background: var(--fanfare-danger, #d70015); color: #fff; }
[part~=failed]::after { content: "!"; position: absolute; inset-block-start: -5px; inset-inline-end: -3px; inline-size: 15px;
    block-size: 15px; border-radius: 50%; background: #fff; color: #d70015; font: 800 11px/15px system-ui; text-align: center;
    box-shadow: 0 0 0 1.5px #d70015; }
#menu { background: var(--surface); border-radius: 14px; padding: 6px; box-shadow: var(--shadow);
    max-inline-size: min(260px, calc(100vw - 16px)); font-size: 15px; }
#why { margin: 4px 10px 6px; font-size: 13px; color: var(--muted); }
#menu button { padding: 10px; min-block-size: 44px; border-radius: 9px; justify-content: start; inline-size: 100%; }
#menu button:hover { background: var(--badge); }
#discard { color: var(--danger); }
@keyframes pop { from { transform: scale(0); opacity: 0; } }
@keyframes turn { to { --fanfare-turn: 360deg; } }
@keyframes fade { from { opacity: 0; } }
@keyframes breathe { 50% { opacity: .2; } }
@media (prefers-reduced-motion: reduce) { [part~=badge] { animation: fade .3s backwards; } [part~=sending]::after {
    animation-name: breathe; } }
`;var Z=130,g=8,ee="a, button:not(#trigger), input, select, textarea, video, audio, [contenteditable]",E=new Set,A=class extends h{#e=null;static get observedAttributes(){return["message","open"]}constructor(){super(ie,te);let e=this.$("#box");$(e,t=>!this.open&&!this.#t(t),()=>this.show()),e.addEventListener("contextmenu",t=>{this.#t(t)||(t.preventDefault(),this.show())}),this.$("#trigger").addEventListener("click",()=>this.show()),this.addEventListener("fanfare-react",()=>this.hide()),this.addEventListener("click",t=>t.target.slot==="actions"&&this.hide()),this.addEventListener("fanfare-overview",()=>this.showOverview()),this.$("#bar").addEventListener("keydown",t=>t.key==="Escape"&&this.hide())}drawWords(){this.$("#trigger").setAttribute("aria-label",c.trigger),this.$("#bar").setAttribute("aria-label",c.reactions)}get channel(){return this.hasAttribute("message")?super.channel:void 0}set channel(e){super.channel=e}connectedCallback(){E.add(this),super.connectedCallback()}disconnectedCallback(){super.disconnectedCallback(),E.delete(this),this.hide()}attributeChangedCallback(e){e!=="open"?super.attributeChangedCallback(e):this.open?this.#i():this.#s()}get open(){return this.hasAttribute("open")}set open(e){this.toggleAttribute("open",e)}show(){this.isConnected&&this.channel&&(this.open=!0)}hide(){this.open=!1}focus(){this.$("#trigger").focus({preventScroll:!0})}async showOverview(){if(this.shouldShowOverview?.(this.message)===!1||(this.hide(),await import("./overview.js"),!this.isConnected))return;let e=this.querySelector("[slot=overview]")??this.$("fanfare-overview");e.open=!0}follow(e,t,i){for(let s of[...this.shadowRoot.querySelectorAll("*"),...this.querySelectorAll("*")])s instanceof h&&s.owner===this&&s.attach();e?this.open&&this.#i():this.hide()}render(){let e=this.view.own.map(m).join(", "),t=e&&c.reacted(e);this.$("#value").textContent!==t&&(this.$("#value").textContent=t),this.toggleAttribute("reacted",this.view.reactions.length>0)}#t(e){let t=e.composedPath();return t.slice(0,t.indexOf(this)).some(i=>i.matches?.(ee))}#i(){if(!this.isConnected||!this.channel||this.#e)return;let e=this.#o;if(e.prepare?.()===!1)return this.hide();let t=[...E].filter(o=>o!==this);for(let o of t)o.hide();for(let o of t)o.toggleAttribute("dimmed",o.channel===this.channel);let{signal:i}=this.#e=new AbortController,s=this.$("#bar");s.showPopover(),this.#n();let r=()=>this.#n();addEventListener("scroll",r,{signal:i,capture:!0,passive:!0}),addEventListener("resize",r,{signal:i});let a=new ResizeObserver(r);a.observe(s),i.addEventListener("abort",()=>a.disconnect()),addEventListener("pointerdown",o=>{o.composedPath().includes(s)||(R(),this.hide())},{signal:i,capture:!0}),this.addEventListener("focusout",({relatedTarget:o})=>{o&&!this.contains(o)&&this.hide()},{signal:i}),this.$("#trigger").setAttribute("aria-expanded","true"),e.focus(),this.tell("open",{message:this.message})}#s(){if(!this.#e)return;this.#e.abort(),this.#e=null;let e=this.contains(this.getRootNode().activeElement);this.$("#bar").hidePopover();for(let t of E)t.removeAttribute("dimmed");this.$("#trigger").setAttribute("aria-expanded","false"),e&&this.focus(),this.tell("close",{message:this.message})}get#o(){return this.querySelector("[slot=picker]")??this.$("fanfare-picker")}#n(){let e=this.$("#bar"),t=this.$("#box").getBoundingClientRect(),{top:i}=this.getBoundingClientRect(),{clientWidth:s,clientHeight:r}=document.documentElement,{row:a,actions:o}=this.#o.heights??{row:e.offsetHeight,actions:0},l=r-t.bottom-2*g,d=o>0&&i>=a+2*g&&l>=Math.min(o,Z);this.#o.style.setProperty("--room",d?`${l}px`:"45vh"),this.#o.style.setProperty("--hole",`${d?t.bottom-i+2*g:0}px`);let f=d?a:e.offsetHeight,u=i-f-g,y=u>=g||i>r-t.bottom,W=y?Math.max(g,u):Math.min(t.bottom+g,r-e.offsetHeight-g),S=this.getAttribute("side")==="end"!=(getComputedStyle(this).direction==="rtl"),q=S?t.right-e.offsetWidth:t.left;e.style.top=`${W}px`,e.style.left=`${Math.max(g,Math.min(q,s-e.offsetWidth-g))}px`,e.style.transformOrigin=`${S?"right":"left"} ${y?`${f}px`:"top"}`}},te=`
<div id="box" part="box">
    <div part="message"><slot></slot></div>
    <button id="trigger" part="trigger" aria-haspopup="dialog" aria-expanded="false" aria-describedby="value"><slot name="trigger">
        <svg viewBox="0 0 24 24" width="20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
            <circle cx="12" cy="12" r="9"/><path d="M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5v.1M15 9.5v.1"/></svg></slot></button>
    <slot name="badges"><fanfare-badges part="badges" exportparts="badge, own, sending, failed, overflow, count, glyph, menu"></fanfare-badges></slot>
</div>
<span id="value" role="status" class="quiet"></span>
<div id="bar" part="bar" popover="manual" role="dialog"><slot name="picker">
    <fanfare-picker part="picker" exportparts="row, reaction, own, glyph, more, search, result, actions">
        <slot name="actions" slot="actions"></slot>
    </fanfare-picker>
</slot></div>
<slot name="overview"><fanfare-overview exportparts="panel, tab, reactor, avatar"></fanfare-overview></slot>`,ie=`
:host { display: block; margin-block: 6px; padding-block-start: var(--fanfare-badge-space, 0px);
    transition: opacity .2s, padding .2s; }
:host([reacted]) { padding-block-start: max(var(--fanfare-badge-space, 0px), var(--fanfare-badge-size, 30px) * .8); }
:host([dimmed]) { opacity: .3; }
#box { display: grid; position: relative; transform-origin: calc(50% - var(--way) * 50%) 50%; inline-size: fit-content;
    max-inline-size: 80%; transition: transform .3s cubic-bezier(.3, 1.5, .6, 1); }
:host([side=end]) #box { margin-inline-start: auto; }
:host([open]) #box { transform: scale(1.04); }
#box > *, [part=badges], ::slotted([slot=badges]) { grid-area: 1 / 1; }
[part=message] { touch-action: manipulation; -webkit-touch-callout: none; min-inline-size: 0; overflow-wrap: anywhere;
    padding: .5em .875em; border-radius: 1.25em; background: var(--badge); color: var(--text); }
:host([side=end]) [part=message] { background: var(--accent); color: #fff; }
@media (pointer: coarse) { [part=message] { user-select: none; -webkit-user-select: none; } }
[part=badges], ::slotted([slot=badges]) { place-self: start end;
    translate: calc(var(--way) * var(--fanfare-badge-size, 30px) * .55) calc(var(--fanfare-badge-size, 30px) * -.8); }
:host { --way: 1; --flow: row-reverse; --before: 6px; --after: 12px; --push: 0; }
:host([side=end]) { --way: -1; --flow: row; --before: 12px; --after: 6px; --push: auto; }
:host(:dir(rtl)) { --way: -1; }
:host([side=end]:dir(rtl)) { --way: 1; }
:host([side=end]) [part=badges], :host([side=end]) ::slotted([slot=badges]) { justify-self: start; }
#trigger { position: absolute; inset-block: 0; inset-inline-start: 100%; margin: auto 18px; inline-size: 32px;
    block-size: 32px; border-radius: 50%; color: var(--muted); opacity: 0; transition: opacity .15s; }
:host([side=end]) #trigger { inset-inline: auto 100%; }
:host(:hover) #trigger, #trigger:focus-visible, #trigger[aria-expanded=true] { opacity: 1; }
@media (hover: none) { #trigger:not(:focus-visible) { opacity: 0; pointer-events: none; } }
#bar { max-inline-size: calc(100vw - 16px);
    transition: opacity .15s, transform .2s, display .2s allow-discrete, overlay .2s allow-discrete; transform: scale(.7);
    pointer-events: none; }
#bar:popover-open { transform: none; }
::slotted([slot=picker]:not(fanfare-picker)) { pointer-events: auto; }
@starting-style { #bar:popover-open { transform: scale(.4); } }
@media (prefers-reduced-motion: reduce) { :host { transition: opacity .2s; } #box, :host([open]) #box { transform: none;
    transition: none; }
    #bar, #bar:popover-open { transform: none;
    transition: opacity .2s, display .2s allow-discrete, overlay .2s allow-discrete; } }
`;var se=2600,oe=12;function ne(n,e){let t=Object.entries(n).sort((a,o)=>o[1]-a[1]).slice(0,e),i=t.reduce((a,[,o])=>a+o,0),s=Math.min(1,e/i),r=Math.min(e,i)-t.length;return t.map(([a,o])=>{let l=Math.min(r,Math.max(0,Math.round(o*s)-1));return r-=l,[a,1+l]})}var C=class extends h{#e=[];constructor(){super(ae,re)}get max(){return Number(this.getAttribute("max")??30)}follow(e,t,i){e?.addEventListener("burst",({detail:s})=>{(s.message===t||!this.hasAttribute("message"))&&this.play(s.reactions,s.window_ms)},{signal:i})}render(){}play(e,t=100){let i=this.$("#layer"),s=Math.min(this.max-i.childElementCount,oe);if(s<=0||document.hidden)return;let r=ne(e,s).flatMap(([a,o])=>Array(o).fill(a));r.sort(()=>Math.random()-.5),r.forEach((a,o)=>this.#t(i,a,o*t/r.length))}#t(e,t,i){let s=this.#e.pop()??p("span",{part:"particle"});s.replaceChildren(b(t,"large")),s.style.left=`${8+Math.random()*84}%`,e.append(s);let r=(Math.random()-.5)*60,a=e.clientHeight*(.6+Math.random()*.35),o=(f,u,y)=>`translate(calc(-50% + ${f}px), ${-u}px) scale(${y})`,l={opacity:[0,1,0]};matchMedia("(prefers-reduced-motion: reduce)").matches||(l.transform=[o(0,0,.3),o(-r,a*.4,1.1),o(r,a,.9)]);let d=se*(.8+Math.random()*.4);s.animate(l,{delay:i,duration:d,easing:"ease-out",fill:"backwards"}).onfinish=()=>{s.remove(),this.#e.push(s)}}},re='<slot></slot><div id="layer" part="layer" aria-hidden="true"></div>',ae=`
:host { display: block; position: relative; }
#layer { position: absolute; inset: 0; overflow: hidden; pointer-events: none; contain: strict; }
[part=particle] { position: absolute; inset-block-end: 4px; font-size: var(--fanfare-burst-size, 34px);
    will-change: transform, opacity; }
`;var T=["❤️","👍","👎","😂","‼️","❓"],D=n=>Math.min(Math.max(n,0)*.03,.18),P=n=>n.replace(/[\ufe0e\ufe0f]/g,""),le=120,L=class extends h{#e=[];#t=0;#i=null;constructor(){super(de,ce),this.$("#more").addEventListener("click",()=>this.openSearch()),this.$("#field").addEventListener("input",()=>this.#l()),this.$("#field").addEventListener("keydown",e=>{e.key==="Enter"?(e.preventDefault(),this.#e.length>0&&this.choose(this.#e[0].reaction)):e.key==="ArrowDown"&&this.$("#found button")?.focus()}),this.shadowRoot.addEventListener("keydown",e=>this.#d(e)),this.$("#found").addEventListener("scroll",()=>this.#c(),{passive:!0}),this.$("[name=actions]").addEventListener("slotchange",()=>this.#n()),this.addEventListener("keydown",e=>e.target!==this&&this.#d(e))}drawWords(){this.$("#row").setAttribute("aria-label",c.reactions),this.$("#more").setAttribute("aria-label",c.search),this.$("#field").setAttribute("aria-label",c.search),this.$("#field").setAttribute("placeholder",c.search)}get offered(){let{allowed:e}=this.channel,t=this.setting("reactions"),i=typeof t=="function"?t(this.message):t,{own:s}=this.view,r=new Map([...e??[],...s].map(o=>[P(o),o])),a=(i??e??T).map(o=>r.get(P(o))??o).filter(o=>e?.includes(o)??!0);return[...new Set([...this.setting("order")?.([...a],this.message)??a,...s])]}get#s(){return this.$("[name=actions]").assignedElements({flatten:!0})}prepare(){return this.$("#search").hidden=!0,this.$("#field").value="",this.#o(),this.isOpenToReactions||this.#s.length>0}get heights(){return{row:this.$("#panel").offsetHeight,actions:this.$("#actions").offsetHeight}}focus(){let e=this.$("#row [part~=own]")??this.$("#row button");(this.$("#panel").hidden?this.#s[0]:e)?.focus({preventScroll:!0})}render(){this.channel&&(this.owner?.open??!0)&&this.#o()}#o(){let{own:e}=this.view,t=(s,r)=>this.#a(s,e.includes(r));this.$("#panel").hidden=!this.isOpenToReactions,w(this.$("#offered"),this.offered,s=>s,s=>this.#r(s,"large","reaction"),t),[...this.$("#offered").children,this.$("#more")].forEach((s,r)=>{s.style.animationDelay=`${D(r)}s`});for(let s of this.$("#found").children)t(s,s.key);let i=this.channel.allowed;this.$("#more").hidden=this.setting("allowEmojiSearch")?.(this.message)===!1||i!==null&&i.length<=8,this.#n()}#n(){this.$("#actions").hidden=this.#s.length===0||!this.$("#search").hidden}#r(e,t,i,s=m(e)){let r=Object.assign(p("button",{title:s},b(e,t)),{key:e,kind:i});return r.addEventListener("click",()=>this.choose(e)),r}#a(e,t){let i=m(e.key);e.setAttribute("part",t?`${e.kind} own`:e.kind),e.setAttribute("aria-label",t?c.remove(i):c.react(i)),e.setAttribute("aria-pressed",t),e.setAttribute("aria-description",t?c.reacted(i):"")}async openSearch(){this.$("#search").hidden=!1,this.#n(),this.$("#field").focus(),this.#i??=await import("./emoji-search.js"),this.#l()}#l(){if(!this.#i)return;let{allowed:e}=this.channel;this.#e=this.#i.findEmoji(this.$("#field").value,j()).filter(({reaction:t})=>e?.includes(t)??!0),this.#t=0,this.$("#found").replaceChildren(),this.$("#found").scrollTop=0,this.$("#told").textContent=c.found(this.#e.length),this.#c()}#c(){let e=this.$("#found"),{own:t}=this.view;for(;this.#t<this.#e.length&&e.scrollTop+2*e.clientHeight>=e.scrollHeight-1;){let i=this.#e.slice(this.#t,this.#t+=le);e.append(...i.map(({reaction:s,name:r})=>{let a=this.#r(s,"small","result",r);return this.#a(a,t.includes(s)),a}))}}#d(e){if(e.composedPath()[0]===this.$("#field"))return;let t=[...this.shadowRoot.querySelectorAll("button, input")].filter(i=>i.checkVisibility());x([...t,...this.#s],e)}},ce=`
<div id="panel" part="panel">
    <div id="row" part="row" role="toolbar"><span id="offered"></span><button id="more" part="more"><slot name="more">
        <svg viewBox="0 0 24 24" width="24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
            <circle cx="11" cy="11" r="6"/><path d="m16 16 4 4"/></svg></slot></button></div>
    <div id="search" part="search" hidden>
        <input id="field" part="field" type="search" autocomplete="off" enterkeyhint="done">
        <span id="told" role="status" class="quiet"></span>
        <div id="found" part="results" role="group"></div>
    </div>
</div>
<div id="actions" part="actions" hidden><slot name="actions"></slot></div>`,de=`
:host { display: block; inline-size: max-content; max-inline-size: 100%;
    --size: var(--fanfare-reaction-size, min(44px, calc((100vw - 44px) / 7))); }
#panel { pointer-events: auto; background: var(--surface); color: var(--text); border-radius: calc(var(--size) / 2 + 6px);
    box-shadow: var(--shadow); max-inline-size: 100%; inline-size: fit-content; margin-inline-start: var(--push, 0); }
#row { display: flex; overflow-x: auto; padding: 6px; scrollbar-width: none; overscroll-behavior: contain; }
#offered { display: flex; gap: 2px; }
#row button { flex: none; min-inline-size: var(--size); block-size: var(--size); border-radius: 50%;
    font-size: calc(var(--size) * .62); animation: pop .4s cubic-bezier(.3, 1.6, .6, 1) backwards; }
#row button > * { transition: transform .15s; }
#row button:hover > * { transform: scale(1.18); }
#row button:active > * { transform: scale(.9); }
#row [part~=own], #found [part~=own] { background: var(--accent); }
#more { color: var(--muted); margin-inline-start: 2px; }
#search { inline-size: min(calc(var(--size) * 7.5), 100%); padding: 0 10px 10px; }
#field { all: unset; box-sizing: border-box; inline-size: 100%; block-size: 38px; padding-inline: 12px; border-radius: 11px;
    background: var(--badge); font-size: 16px; }
#field::placeholder { color: var(--muted); opacity: 1; }
#found { display: grid; grid-template-columns: repeat(auto-fill, minmax(var(--size), 1fr)); max-block-size: min(230px, 40vh);
    overflow-y: auto; margin-block-start: 8px; overscroll-behavior: contain; }
#found button { overflow: clip; block-size: var(--size); border-radius: 10px; font-size: calc(var(--size) * .6); }
#found button:hover { background: var(--badge); }
#actions { pointer-events: auto; margin-block-start: max(8px, var(--hole, 8px)); margin-inline-start: var(--push, 0);
    inline-size: fit-content; min-inline-size: 190px; max-inline-size: 100%; max-block-size: min(260px, var(--room, 45vh));
    overflow-y: auto;
    overscroll-behavior: contain; background: var(--surface); color: var(--text); border-radius: 14px;
    box-shadow: var(--shadow); }
::slotted(button), ::slotted(a) { all: unset; box-sizing: border-box; display: block; inline-size: 100%; min-block-size: 44px;
    padding: 11px 16px; cursor: pointer; font: 16px/1.4 var(--fanfare-font, system-ui, sans-serif); }
::slotted(:not(:first-child)) { border-block-start: .5px solid var(--line); }
::slotted(:hover) { background: var(--badge); }
::slotted(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: 14px; }
@keyframes pop { from { transform: scale(0); opacity: 0; } }
@keyframes fade { from { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { #row button { animation-name: fade; animation-timing-function: ease; }
    #row button > *, #row button:is(:hover, :active) > * { transform: none; transition: none; } }
`;v("fanfare-badges",z);v("fanfare-picker",L);v("fanfare-burst",C);v("fanfare-bubble",A);export{z as FanfareBadges,A as FanfareBubble,C as FanfareBurst,h as FanfareElement,L as FanfarePicker,T as defaultReactions,v as define,B as defineReactions,b as glyph,p as make,x as moveFocus,m as nameOf,D as popInDelay,w as reconcile,H as splitOverflow,c as words};
