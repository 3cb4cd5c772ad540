import { html } from '../site/html.ts'
import { adminParts, adminResponse, type AdminPage } from './admin-page.ts'

/** Where the area begins. */
export const overviewPage: AdminPage = async () =>
  adminResponse({
    title: 'Administration',
    part: undefined,
    intro: html`For the administrator alone. Every act is written down with who did it, before it is done.`,
    body: html`<section aria-labelledby="parts">
<h2 id="parts">What there is to administer</h2>
<ul class="choices">${adminParts.map(
      ([path, name, what]) => html`<li><a href="${path}"><strong>${name}</strong><span>${what}</span></a></li>`,
    )}</ul>
</section>`,
  })
