import type { ServerResponse } from '@mintmark/core/http'
import { type Fragment, html, renderName } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { seeOther } from '../action.ts'
import { at } from '../api.ts'
import { versionField } from '../elements/field.ts'
import { changeStatus, refusalNotice } from '../elements/notice.ts'
import { code, codes, facts } from '../elements/table.ts'
import { time } from '../elements/time.ts'
import { readForm } from '../form.ts'
import { head } from '../layout.ts'
import { ApiError } from '../refusals.ts'
import { holderSecrets, stateButton } from '../secret-holder.ts'
import { recordsOf, textOf, textsOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'
import { clientHolder } from './client-actions.ts'
import { type ClientFields, clientInputs, clientMembers, readClientFields } from './client-form.ts'
import { enabledState } from './clients-page.ts'

/** Shows one client, and the form that changes it. */
export const clientPage: Page = async (visit) => {
  const client = await readClient(visit)
  return showClient(visit, { client, fields: fieldsOf(client), version: textOf(client['version']) })
}

/** Saves the form. An outdated form is refused, because the client has another version. */
export const changeClient: Page = async (visit) => {
  const form = readForm(visit.request)
  const client = await readClient(visit)
  const fields = readClientFields(form, hasRedirectUris(client))
  const path = at`/clients/${visit.part('client_id')}`
  const { version } = form
  const changed = await visit.api.attempt({ method: 'PATCH', path, body: clientMembers(fields), version })
  if (!(changed instanceof ApiError)) return seeOther(visit, path)
  if (changed.status !== 400) throw changed
  return showClient(visit, { client, fields, version: version ?? '', error: changed })
}

const readClient = ({ api, part }: Visit): Promise<JsonObject> => api.get(at`/clients/${part('client_id')}`)

/** Clients that act for themselves have none. */
const hasRedirectUris = (client: JsonObject): boolean =>
  textsOf(client['redirect_uris']).length > 0 || textsOf(client['grant_types']).includes('authorization_code')

const fieldsOf = (client: JsonObject): ClientFields => ({
  name: textOf(client['client_name']),
  redirectUris: hasRedirectUris(client) ? textsOf(client['redirect_uris']) : undefined,
  scopes: textsOf(client['scopes']),
})

interface ShownClient {
  readonly client: JsonObject
  readonly fields: ClientFields
  readonly version: string
  readonly error?: ApiError | undefined
}

function showClient(visit: Visit, { client, fields, version, error }: ShownClient): ServerResponse {
  const { messages, caller } = visit
  const name = textOf(client['client_name'])
  const mayWrite = caller.can('write', 'clients')
  return visit.show({
    title: name,
    section: 'clients',
    status: error?.status ?? 200,
    body: html`${head(renderName(name, messages.unnamed), mayWrite ? stateButton(client, clientHolder, visit) : undefined)}
${changeStatus(visit)}
<section>${clientFacts(client, mayWrite, visit)}</section>
${mayWrite ? settingsForm({ fields, version, error }, visit) : undefined}
${recordsOf(client['secrets']).length === 0 ? undefined : holderSecrets(client, clientHolder, visit)}`,
  })
}

function clientFacts(client: JsonObject, mayWrite: boolean, { messages }: Visit): Fragment {
  const { labels } = messages
  return facts([
    [labels.identifier, code(textOf(client['client_id']))],
    [labels.state, enabledState(client, messages)],
    [labels.authentication, code(textOf(client['token_endpoint_auth_method']))],
    [labels.grantTypes, codes(textsOf(client['grant_types']))],
    // The form shows what it can change.
    ...(mayWrite
      ? []
      : ([
          [labels.redirectUris, codes(textsOf(client['redirect_uris']))],
          [labels.scopes, codes(textsOf(client['scopes']))],
        ] as const)),
    [labels.created, time(client['created_at'], messages)],
  ])
}

function settingsForm({ fields, version, error }: Omit<ShownClient, 'client'>, { messages }: Visit): Fragment {
  return html`<section aria-labelledby="settings">
<h2 id="settings">${messages.clients.settings}</h2>
${error && refusalNotice(error, messages)}
<form method="post">
${versionField(version)}
${clientInputs(fields, messages)}
<div class="buttons"><button class="primary" type="submit">${messages.buttons.save}</button></div>
</form>
</section>`
}
