import type { ServerResponse } from '@mintmark/core/http'
import { address, html } from '@mintmark/pages/internal'

import { at } from '../api.ts'
import { field, selection } from '../elements/field.ts'
import { refusalNotice } from '../elements/notice.ts'
import { readForm } from '../form.ts'
import { head } from '../layout.ts'
import { ApiError } from '../refusals.ts'
import { secretPage } from '../secret-page.ts'
import { recordOf, textOf } from '../values.ts'
import type { Page, Visit } from '../visit.ts'

export const newDirectoryPage: Page = async (visit) =>
  formPage(visit, { fields: { id: '', name: '', profile: 'entra', domains: [] } })

/** Registers the directory. Only this response contains its Secret Token. */
export const createDirectory: Page = async (visit) => {
  const form = readForm(visit.request)
  const fields = {
    id: form.text('identifier'),
    name: form.text('name'),
    profile: form.text('profile'),
    domains: form.words('domains'),
  }
  const created = await visit.api.attempt({
    method: 'POST',
    path: '/identity-providers',
    body: {
      provider_id: fields.id,
      ...(fields.name !== '' && { display_name: fields.name }),
      tolerance_profile: fields.profile,
      verified_domains: fields.domains,
    },
  })
  if (created instanceof ApiError) {
    if (created.status !== 400 && created.status !== 409) throw created
    return formPage(visit, { fields, error: created })
  }
  const provider = recordOf(created['provider'])
  return secretPage(visit, {
    section: 'directories',
    name: fields.name || fields.id,
    secret: textOf(created['secret']),
    isRotated: false,
    values: [[visit.messages.labels.tenantUrl, textOf(provider['tenant_url'])]],
    leadsTo: at`/directories/${fields.id}`,
  })
}

interface NewDirectory {
  readonly fields: {
    readonly id: string
    readonly name: string
    readonly profile: string
    readonly domains: readonly string[]
  }
  readonly error?: ApiError
}

function formPage({ messages, link, show }: Visit, { fields, error }: NewDirectory): ServerResponse {
  const { labels, directories, buttons } = messages
  return show({
    title: directories.add,
    section: 'directories',
    status: error?.status ?? 200,
    body: html`${head(directories.add)}
<section>
${error && refusalNotice(error, messages)}
<form method="post">
${field({ name: 'name', label: labels.name, value: fields.name, isRequired: true })}
${field({ name: 'identifier', label: labels.identifier, hint: directories.identifierHint, value: fields.id, isRequired: true })}
${selection({ name: 'profile', label: labels.toleranceProfile, value: fields.profile, options: profiles })}
${field({ name: 'domains', label: labels.verifiedDomains, hint: directories.domainsHint, value: fields.domains.join(' ') })}
<div class="buttons">
<button class="primary" type="submit">${buttons.create}</button>
<a class="button" ${address('href', link('/directories'))}>${buttons.cancel}</a>
</div>
</form>
</section>`,
  })
}

/** The tolerance profiles of the administration API that fit a product, and `strict`. */
const profiles = [
  ['entra', 'Microsoft Entra ID'],
  ['okta', 'Okta'],
  ['oneLogin', 'OneLogin'],
  ['general', 'general'],
  ['strict', 'strict (RFC 7644)'],
] as const
