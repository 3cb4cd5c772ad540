import type { ServerRequest } from '@mintmark/core/http'

import { html, type Markup } from '../site/html.ts'

/** The address of a page about something. Identifiers are in addresses; secrets never are. */
export const addressOf = (path: string, id: string): string => `${path}?${new URLSearchParams({ id }).toString()}`

/** What the page is about; empty when the address does not say. */
export const subjectOf = ({ url }: ServerRequest): string => url.searchParams.get('id') ?? ''

/** Which part of a list the address asks for. */
export const pageRequestOf = ({ url }: ServerRequest) => ({
  limit: 50,
  after: url.searchParams.get('after') ?? undefined,
})

/** The link to the part of a list after this one; nothing on the last. */
export function nextLink({ url }: ServerRequest, next: string | undefined): Markup | undefined {
  if (next === undefined) return undefined
  const query = new URLSearchParams(url.searchParams)
  query.set('after', next)
  return html`<p class="actions"><a rel="next" href="${url.pathname}?${query.toString()}">Next page</a></p>`
}
