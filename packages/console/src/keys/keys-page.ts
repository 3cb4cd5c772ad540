import { html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { code, table } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { head } from '../layout.ts'
import type { Messages } from '../languages/messages.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Page } from '../visit.ts'

/** Lists the signing keys. */
export const keysPage: Page = async (visit) => {
  const { api, messages } = visit
  const { sections, labels, keys } = messages
  const found = await api.get('/keys')
  const rows = recordsOf(found['items']).map((key) => [
    code(textOf(key['key_id'])),
    code(textOf(key['algorithm'])),
    stateOf(key, messages),
    time(key['created_at'], messages),
    time(key['signs_from'], messages),
    time(key['drops_at'], messages),
  ])
  const columns = [labels.identifier, labels.algorithm, labels.state, labels.created, keys.signsFrom, keys.dropsAt]
  return visit.show({
    title: sections.keys,
    section: 'keys',
    body: html`${head(sections.keys)}
<p>${keys.intro}</p>
<section>${table({ title: sections.keys, id: 'keys', columns, rows }, visit)}</section>`,
  })
}

function stateOf(key: JsonObject, { keys }: Messages): string {
  const state = textOf(key['state'])
  return new Map(Object.entries(keys.states)).get(state) ?? state
}
