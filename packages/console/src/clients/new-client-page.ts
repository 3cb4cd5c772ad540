import type { ServerResponse } from '@mintmark/core/http'
import { address, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { at } from '../api.ts'
import { refusalNotice } from '../elements/notice.ts'
import { readForm } from '../form.ts'
import { head } from '../layout.ts'
import { ApiError, refuse } from '../refusals.ts'
import { secretPage } from '../secret-page.ts'
import { recordOf, textOf } from '../values.ts'
import { seeOther } from '../action.ts'
import type { Page, Visit } from '../visit.ts'
import { type ClientFields, clientInputs, clientMembers, readClientFields } from './client-form.ts'

/** What a kind of client means for its metadata (RFC 7591 §2). Everything else has the defaults of the server. */
const kinds = {
  web: { metadata: { grant_types: ['authorization_code', 'refresh_token'] }, hasUsers: true },
  spa: { metadata: { token_endpoint_auth_method: 'none', grant_types: ['authorization_code'] }, hasUsers: true },
  native: {
    metadata: { token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'] },
    hasUsers: true,
  },
  service: { metadata: { grant_types: ['client_credentials'] }, hasUsers: false },
  mcp: {
    metadata: {
      profile: 'mcp',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    hasUsers: true,
  },
} as const satisfies Record<string, { readonly metadata: JsonObject; readonly hasUsers: boolean }>

type Kind = keyof typeof kinds

const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text)

/** Asks for the kind of the client, and then for its name, redirect URIs and scopes. */
export const newClientPage: Page = async (visit) => {
  const kind = visit.request.url.searchParams.get('kind') ?? ''
  if (!isKind(kind)) return kindPage(visit)
  const redirectUris = kinds[kind].hasUsers ? [] : undefined
  return formPage(visit, { kind, fields: { name: '', redirectUris, scopes: kinds[kind].hasUsers ? ['openid'] : [] } })
}

/** Creates the client. Only this response contains its secret. */
export const createClient: Page = async (visit) => {
  const form = readForm(visit.request)
  const kind = form.text('kind')
  // RFC 9110 §15.5.1: no link of the console leads here.
  if (!isKind(kind)) throw refuse('form_malformed')
  const fields = readClientFields(form, kinds[kind].hasUsers)
  const body = { ...kinds[kind].metadata, ...clientMembers(fields) }
  const created = await visit.api.attempt({ method: 'POST', path: '/clients', body })
  if (created instanceof ApiError) {
    if (created.status !== 400 && created.status !== 409) throw created
    return formPage(visit, { kind, fields, error: created })
  }
  const clientPath = at`/clients/${textOf(recordOf(created['client'])['client_id'])}`
  const secret = textOf(created['client_secret'])
  if (secret === '') return seeOther(visit, clientPath)
  return secretPage(visit, { section: 'clients', name: fields.name, secret, isRotated: false, leadsTo: clientPath })
}

const kindPage = ({ link, messages, show }: Visit): ServerResponse =>
  show({
    title: messages.clients.add,
    section: 'clients',
    body: html`${head(messages.clients.add)}
<section aria-labelledby="kind">
<h2 id="kind">${messages.clients.chooseKind}</h2>
<ul class="kinds">${Object.entries(messages.clients.kinds).map(
      ([kind, [name, hint]]) =>
        html`<li><a ${address('href', link(`/new-client?kind=${kind}`))}><strong>${name}</strong><span>${hint}</span></a></li>`,
    )}</ul>
</section>`,
  })

interface NewClient {
  readonly kind: Kind
  readonly fields: ClientFields
  readonly error?: ApiError
}

function formPage({ link, messages, show }: Visit, { kind, fields, error }: NewClient): ServerResponse {
  const [name] = messages.clients.kinds[kind]
  return show({
    title: messages.clients.add,
    section: 'clients',
    status: error?.status ?? 200,
    body: html`${head(`${messages.clients.add}: ${name}`)}
<section>
${error && refusalNotice(error, messages)}
<form method="post" ${address('action', link('/new-client'))}>
<input type="hidden" name="kind" value="${kind}">
${clientInputs(fields, messages)}
<div class="buttons">
<button class="primary" type="submit">${messages.buttons.create}</button>
<a class="button" ${address('href', link('/clients'))}>${messages.buttons.cancel}</a>
</div>
</form>
</section>`,
  })
}
