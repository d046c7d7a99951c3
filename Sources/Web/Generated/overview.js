import{define as x,FanfareElement as g,glyph as h,make as o,moveFocus as m,nameOf as d,reconcile as v,words as a}from"./components.js";var p=class extends g{#e=null;#i=null;#t=0;static get observedAttributes(){return["message","open"]}constructor(){super(w,y),this.$("#close").addEventListener("click",()=>this.open=!1);let e=this.$("dialog");e.addEventListener("close",()=>this.open=!1),e.addEventListener("click",t=>t.target===e&&(this.open=!1)),this.$("#tabs").addEventListener("keydown",t=>{m(this.$("#tabs").children,t)&&this.shadowRoot.activeElement.click()}),this.end=new IntersectionObserver(([t])=>t.isIntersecting&&this.#s(),{root:this.$("#people"),rootMargin:"200px"})}drawWords(){this.$("#title").textContent=a.who,this.$("#close").setAttribute("aria-label",a.close)}attributeChangedCallback(e){e!=="open"?super.attributeChangedCallback(e):this.open?this.#o():this.$("dialog").close()}disconnectedCallback(){super.disconnectedCallback(),this.open=!1}follow(e){e?this.#o():this.open=!1}#o(){let e=this.$("dialog");!this.isConnected||!this.channel||!this.open||(e.open||e.showModal(),this.#n(null))}get open(){return this.hasAttribute("open")}set open(e){this.toggleAttribute("open",e)}render(){if(!this.open)return;let{reactions:e,total:t}=this.view,n=[{reaction:null,count:t},...e];n.some(i=>i.reaction===this.#e)||this.#n(null),v(this.$("#tabs"),n,i=>i.reaction,({reaction:i})=>this.#a(i),(i,{count:s})=>{i.lastElementChild.textContent=s,i.setAttribute("aria-label",`${i.key===null?a.all:d(i.key)} ${s}`),i.setAttribute("aria-selected",i.key===this.#e),i.tabIndex=i.key===this.#e?0:-1})}#a(e){let t=e===null?o("span"):h(e);e===null&&(t.textContent=a.all);let n=o("button",{role:"tab",part:"tab","aria-controls":"people"},t,o("span"));return n.addEventListener("click",()=>this.#n(e)),n}#n(e){this.#e=e,this.#i=null,this.#t+=1,this.$("#list").replaceChildren(),this.$("#people").scrollTop=0,this.$("#note").textContent="",this.render(),this.#s()}async#s(){let e=this.#t;this.end.disconnect();try{let t={reaction:this.#e??void 0,after:this.#i??void 0,limit:50},{reactors:n,after:i}=await this.channel.reactors(this.message,t);if(e!==this.#t)return;this.$("#list").append(...n.map(s=>this.#r(s))),this.#i=i,i!==null&&this.end.observe(this.$("#end"))}catch(t){e===this.#t&&(this.$("#note").textContent=t.code==="forbidden"?a.nobody:t.message)}}#r({user:e,reaction:t,count:n}){let i=this.setting("displayName")?.(e)??e,s=this.setting("avatar")?.(e),r=s?o("img",{src:s,alt:"",loading:"lazy"}):o("span",{"aria-hidden":"true"});r.setAttribute("part","avatar"),s||(r.textContent=[...i,""][0].toUpperCase(),r.style.setProperty("--hue",137*[...e].reduce((f,b)=>(f*31+b.codePointAt(0))%360,7)));let c=o("span",{part:"given"},h(t,"large"),o("span",{class:"quiet"},d(t)));n>1&&c.append(` ${n}`);let u=o("slot",{name:`reactor-${e}`},r,o("span",{part:"name"},i),c),l=o("li",{part:"reactor"},u);return e===this.channel.user&&this.isOpenToReactions&&l.append(this.#l(l,t)),l}#l(e,t){let n=o("button",{part:"remove","aria-label":a.remove(d(t))},"✕");return n.addEventListener("click",()=>{this.view.own.includes(t)&&this.choose(t),e.remove(),this.$("#close").focus()}),n}},y=`
<dialog part="panel" aria-labelledby="title">
    <header><h2 id="title"></h2><button id="close" part="close"><slot name="close">✕</slot></button></header>
    <div id="tabs" part="tabs" role="tablist"></div>
    <div id="people" part="people" role="tabpanel" tabindex="0" aria-labelledby="title">
        <ul id="list" role="list"></ul><p id="note" role="status"></p><div id="end"></div>
    </div>
</dialog>`,w=`
:host { display: contents; }
dialog { display: flex; flex-direction: column; box-sizing: border-box; border: 0; padding: 0;
    inline-size: min(400px, 100vw - 24px); block-size: min(520px, 100dvh - 24px); border-radius: 18px;
    background: var(--surface); color: var(--text);
    overflow: hidden; box-shadow: var(--shadow); font-size: 16px; opacity: 0; transform: translateY(24px);
    transition: opacity .2s, transform .25s, display .25s allow-discrete, overlay .25s allow-discrete; }
dialog:not([open]) { display: none; }
dialog[open] { opacity: 1; transform: none; }
@starting-style { dialog[open] { opacity: 0; transform: translateY(24px); } }
dialog::backdrop { background: #0006; }
header { display: flex; align-items: center; justify-content: space-between; padding: 8px 8px 0 18px; }
h2 { font-size: 17px; margin: 0; }
#close { inline-size: 44px; block-size: 44px; border-radius: 50%; color: var(--muted); }
#tabs { display: flex; flex: none; overflow-x: auto; gap: 4px; padding: 6px 14px 10px; scrollbar-width: none; }
[part=tab] { grid-auto-flow: column; gap: 6px; padding-inline: 12px; min-block-size: 36px; border-radius: 18px; flex: none;
    font-size: 15px; font-variant-numeric: tabular-nums; color: var(--muted); }
[part=tab][aria-selected=true] { background: var(--badge); color: var(--text); font-weight: 600; }
#people { flex: 1; position: relative; overflow-y: auto; overscroll-behavior: contain; border-block-start: .5px solid var(--line);
    outline-offset: -3px; }
ul { list-style: none; margin: 0; padding: 0; }
li, slot { display: flex; align-items: center; gap: 12px; }
li { padding: 8px 18px; }
slot { flex: 1; min-inline-size: 0; }
header slot { display: contents; }
[part=avatar] { flex: none; inline-size: 38px; block-size: 38px; border-radius: 50%; object-fit: cover; display: grid;
    place-items: center; color: #fff; font-weight: 600; background: hsl(var(--hue) 45% 45%); }
[part=name] { flex: 1; overflow: hidden; text-overflow: ellipsis; }
[part=given] { font-size: 22px; }
[part=remove] { color: var(--muted); inline-size: 36px; block-size: 36px; border-radius: 50%; }
#note { margin: 0; padding: 16px 18px; color: var(--muted); }
#note:empty { display: none; }
@media (max-width: 480px) { dialog { margin-block: auto 0; inline-size: 100vw; max-inline-size: none;
    border-end-start-radius: 0; border-end-end-radius: 0; } }
@media (prefers-reduced-motion: reduce) { dialog, dialog[open] { transform: none;
    transition-property: opacity, display, overlay; } @starting-style { dialog[open] { transform: none; } } }
`;x("fanfare-overview",p);export{p as FanfareOverview};
