import { type Fragment, html } from '@mintmark/pages/internal'
import type { JsonObject } from '@mintmark/storage-interface'

import { field, repeatedField } from '../elements/field.ts'
import type { Form } from '../form.ts'
import type { Messages } from '../languages/messages.ts'

/** The fields of a client that administrators edit. */
export interface ClientFields {
  readonly name: string
  /** Undefined for a client that no user signs in to. */
  readonly redirectUris: readonly string[] | undefined
  readonly scopes: readonly string[]
}

export const clientInputs = ({ name, redirectUris, scopes }: ClientFields, { labels, clients }: Messages): Fragment =>
  html`${field({ name: 'name', label: labels.name, value: name, isRequired: true })}
${
  redirectUris &&
  repeatedField({
    name: 'redirect_uri',
    label: labels.redirectUris,
    hint: clients.redirectUriHint,
    values: redirectUris,
  })
}
${field({ name: 'scopes', label: labels.scopes, hint: clients.scopesHint, value: scopes.join(' ') })}`

/** Reads the fields that `clientInputs` shows. */
export const readClientFields = (form: Form, hasRedirectUris: boolean): ClientFields => ({
  name: form.text('name'),
  redirectUris: hasRedirectUris ? form.list('redirect_uri') : undefined,
  scopes: form.words('scopes'),
})

/** Returns the members of a request to the administration API. */
export const clientMembers = ({ name, redirectUris, scopes }: ClientFields): JsonObject => ({
  client_name: name,
  ...(redirectUris && { redirect_uris: redirectUris }),
  scopes,
})
