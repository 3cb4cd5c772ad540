import type { Actor, Administration } from '@mintmark/admin'
import type { ServerRequest, ServerResponse } from '@mintmark/core/http'

import { htmlDocument, htmlResponse } from '../site/document.ts'
import { html, type Markup } from '../site/html.ts'

/** A page, or what its forms do. It is handed the administration, so nobody gets to it who may not administer. */
export type AdminPage = (visit: AdminVisit) => Promise<ServerResponse>

/** An administrator's request. */
interface AdminVisit {
  readonly request: ServerRequest
  /** Acts in the administrator's name. */
  readonly admin: Administration
  readonly actor: Actor
}

/** The parts of the area, by address. */
export const adminParts = [
  ['/admin/clients', 'Clients', 'The apps that people sign in to: disable one, or give it another secret.'],
  [
    '/admin/providers',
    'Identity providers',
    'Directories that provision accounts: what to paste there, what they ask.',
  ],
  ['/admin/accounts', 'Accounts', 'Whoever can sign in: search, deactivate, and end what an app was allowed.'],
  ['/admin/events', 'Events', 'What administrators did, and what happened since the start.'],
] as const

/** What a page of the area consists of. */
interface AdminContent {
  readonly title: string
  /** The part that it belongs to. */
  readonly part: (typeof adminParts)[number][0] | undefined
  readonly intro: Markup
  readonly body: Markup
  readonly status?: number
}

export const adminResponse = ({ title, part, intro, body, status = 200 }: AdminContent): ServerResponse =>
  htmlResponse(
    htmlDocument(
      `${title} · Administration`,
      html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>${title}</h1>
<p>${intro}</p>
</header>
<nav aria-label="Administration"><ul>${adminParts.map(
        ([path, name]) => html`<li><a href="${path}"${path === part ? ariaCurrent : undefined}>${name}</a></li>`,
      )}</ul></nav>
${body}`,
    ),
    status,
  )

const ariaCurrent = html` aria-current="true"`
