import type { ServerResponse } from '@mintmark/core/http'
import { address, fill, html, renderName } from '@mintmark/pages/internal'

import { facts } from './elements/table.ts'
import { head } from './layout.ts'
import type { Section, Visit } from './visit.ts'

interface NewSecret {
  readonly section: Section
  /** The name of the record that the secret belongs to. */
  readonly name: string
  readonly secret: string
  /** Whether the record had a secret before. */
  readonly isRotated: boolean
  /** Other values to copy, such as an address. */
  readonly values?: readonly (readonly [name: string, value: string])[]
  readonly leadsTo: string
}

/** The only page that shows a secret. It is the response to the form, so no address and no cache contains the secret. */
export function secretPage({ messages, link, show }: Visit, content: NewSecret): ServerResponse {
  const { section, name, secret, isRotated, values = [], leadsTo } = content
  const title = fill(messages.secret.title, { name: renderName(name, messages.unnamed) })
  return show({
    title: messages.labels.secret,
    section,
    body: html`${head(title)}
<section>
<p>${messages.secret.once}${isRotated ? ` ${messages.secret.previous}` : undefined}</p>
<pre id="new-secret" tabindex="0" dir="ltr">${secret}</pre>
${values.length === 0 ? undefined : facts(values)}
<div class="buttons"><a class="button primary" ${address('href', link(leadsTo))}>${messages.buttons.done}</a></div>
</section>`,
  })
}
