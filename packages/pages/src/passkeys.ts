import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import { renderName } from './client-display.ts'
import { dateOf } from './date.ts'
import { formFields, singleField } from './form.ts'
import { attribute, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'
import { passkeyScript } from './passkey-script.ts'

interface PasskeysPageInput extends Look {
  /** The options for a new passkey, as JSON (WebAuthn Level 3 §5.1.9), such as of `generateRegistrationOptions`. */
  readonly creationOptions: object
  /** The user's passkeys. */
  readonly passkeys: readonly ListedPasskey[]
  /** Whether the passkey that was sent is not stored; the page says so. */
  readonly hasFailed?: boolean | undefined
}

interface ListedPasskey {
  readonly id: string
  /** Such as the name of the password manager or of the browser. */
  readonly name: string
  /** In seconds since 1970. */
  readonly createdAt: number
}

/**
 * Renders the passkeys of a user. The form posts one of these fields to the address of the page: `passkey` (a new
 * passkey, for `readPasskeyForm`) or `remove` (the `id` of a passkey to remove). The button that adds a passkey appears in
 * browsers that support passkeys, if scripts are not turned off.
 * @param request the request that the page answers. It determines the language unless the host has chosen one.
 */
export function passkeysPage(
  { creationOptions, passkeys, hasFailed = false, ...look }: PasskeysPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const texts = messages.passkeys
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${texts.title}</h1>
</header>
<form method="post" ${passkeyOptions('create', creationOptions)}>
${passkeys.length === 0 ? html`<p class="fine">${texts.none}</p>` : undefined}
<ul class="scopes">${passkeys.map((passkey) => passkeyRow(passkey, messages))}</ul>
${passkeyButton(texts.add, { failure: texts.addFailed, hasFailed })}
</form>`
  return page({
    brand: look.brand,
    messages,
    title: texts.title,
    status: hasFailed ? 400 : 200,
    formAction: 'self',
    script: passkeyScript,
    body,
  })
}

function passkeyRow({ id, name, createdAt }: ListedPasskey, { passkeys, lang }: Messages): Fragment {
  return html`<li class="row entry">
<strong id="passkey-${id}">${renderName(name, passkeys.unnamed)}</strong>
<small>${fill(passkeys.since, { date: dateOf(createdAt, lang) })}</small>
<button type="submit" name="remove" value="${id}" aria-describedby="passkey-${id}">${passkeys.remove}</button>
</li>`
}

/** The attributes of a form for the script. */
export const passkeyOptions = (verb: 'get' | 'create', options: object | undefined): ReturnType<typeof attribute> =>
  attribute(`data-passkey-${verb}`, options && JSON.stringify(options))

/** The script shows the button in browsers that support passkeys, and the failure when the browser has none to offer. */
export const passkeyButton = (
  label: string,
  { failure, hasFailed = false }: { readonly failure: string; readonly hasFailed?: boolean },
): Fragment => html`<input type="hidden" name="passkey">
<button type="button" data-passkey-button hidden>${icon('key')}${label}</button>
<p class="fine" role="status" data-passkey-failure="${failure}">${hasFailed ? failure : undefined}</p>`

/**
 * Reads the passkey of `signInPage` or `passkeysPage`: the JSON of a `PublicKeyCredential` (WebAuthn Level 3 §5.1). Returns
 * `undefined` for a form without a passkey, or with one that is not a JSON object of at most 16384 characters with the
 * text `id`.
 * @typeParam Credential what the library that verifies it expects. Nothing has checked its other members yet.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each WebAuthn library has its own type.
export function readPasskeyForm<Credential extends object>(request: ServerRequest): Credential | undefined {
  const text = singleField(formFields(request) ?? [], 'passkey')
  if (text === undefined || text.length > 16_384) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return hasTextId(value) ? (value as unknown as Credential) : undefined
  } catch {
    return undefined // Not JSON: a form without scripts posts an empty field.
  }
}

/** Hosts look the passkey up by its `id`, and databases throw for other types. */
const hasTextId = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
