import type { ClientView } from '@mintmark/admin'

import { html, type Markup } from '../site/html.ts'
import { shownTime } from './shown-time.ts'

/** The secrets there are: their times, which is all that anybody knows of them. */
export const secretList = (secrets: ClientView['secrets']): Markup =>
  html`<ul class="entries">${secrets.map(
    ({ createdAt, expiresAt, lastUsedAt }) =>
      html`<li>Made ${shownTime(createdAt)}${expiresAt && html`, ends ${shownTime(expiresAt)}`}, ${
        lastUsedAt === undefined ? 'not used yet' : html`used ${shownTime(lastUsedAt)}`
      }</li>`,
  )}</ul>`
