// The page, its lists in requested-access.ts, and `readConsentForm` must agree.

import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { ParameterList } from '@mintmark/internal'
import { clientTile, redirectDestination, renderName, renderText, shownLogo } from './client-display.ts'
import { fieldValues, formFields, singleField } from './form.ts'
import { address, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'
import { accessLists, type RequestedAccess } from './requested-access.ts'

interface ConsentPageInput extends Look, RequestedAccess {
  readonly client: {
    readonly clientName: string
    /** The host of an unverified client, from the pending interaction. It replaces the name in the heading. */
    readonly unverifiedHost?: string | undefined
    /** Pages of the client, from the pending interaction; https only. */
    readonly clientUri?: string | undefined
    readonly policyUri?: string | undefined
    readonly tosUri?: string | undefined
    /** The address of the logo at the server, from the pending interaction. The page allows images only from there. */
    readonly logoUrl?: string | undefined
  }
  /** The validated redirect URI of the pending request; `undefined` if the client is on another device (RFC 8628). */
  readonly redirectUri: string | undefined
  /** The name under which the user knows the account, from the pending interaction or from the host. */
  readonly accountName: string | undefined
  /** Where the user can sign in with another account, from the pending interaction. Absent if the client accepts no other. */
  readonly switchAccountUrl?: string | undefined
}

/**
 * Asks the user for consent (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.4). The page shows the client, the requested
 * access, the account and the redirect target. Its form posts to the address of the page, for `readConsentForm`. The user
 * can uncheck every scope but `openid` (RFC 6749 §3.3).
 * @param request the request that the page answers. The browser's language is used if the client requests none.
 */
export function consentPage(
  {
    client,
    redirectUri,
    scopes,
    details,
    resources,
    organizations,
    accountName,
    switchAccountUrl,
    ...look
  }: ConsentPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { consent } = messages
  const destination = redirectUri === undefined ? undefined : redirectDestination(redirectUri)
  // Deny is the form's first button, because Enter on a checkbox presses the first button and must not grant anything. Allow
  // stands out, because the user came here to sign in.
  const { clientName, unverifiedHost } = client
  const logo = shownLogo(client)
  const host = unverifiedHost && html`<bdi class="name">${unverifiedHost}</bdi>`
  const isUnverifiedDevice = unverifiedHost !== undefined && destination !== undefined && destination.kind !== 'website'
  const body = html`<header>
${clientTile(client)}
<h1>${fill(consent.heading, { client: host || renderName(clientName, messages.unnamedClient) })}</h1>
${host && html`<p>${fill(consent.unverified, { host, client: renderName(clientName, messages.unnamedClient, 40) })}</p>`}
${accountName && html`<p>${fill(consent.signedInAs, { account: renderText(accountName) })}</p>`}
${switchAccountUrl && html`<p><a ${address('href', switchAccountUrl)}>${messages.selectAccount.another}</a></p>`}
</header>
${isUnverifiedDevice ? html`<div class="notice"><p>${icon('exclamation')} ${consent.deviceWarning}</p></div>` : undefined}
<form method="post">
${accessLists({ scopes, details, resources, organizations }, consent)}
<p class="fine">${destination === undefined ? consent.otherDevice : fill(consent.destination[destination.kind], { name: html`<bdi class="name">${destination.name}</bdi>` })}</p>
${clientLinks(client, consent)}
<div class="choice">
<button type="submit" name="decision" value="deny" formnovalidate>${icon('cross')}${consent.deny}</button>
<button class="primary" type="submit" name="decision" value="allow">${icon('check')}${consent.allow}</button>
</div>
</form>`
  return page({
    brand: look.brand,
    messages,
    title: consent.title,
    status: 200,
    formAction: 'leaves',
    images: logo ? [logo] : [],
    body,
  })
}

/** Shows the host of the links, once if it is the same. A user could take the label alone for a page of this server. */
function clientLinks(
  { clientUri, policyUri, tosUri }: ConsentPageInput['client'],
  { links }: Messages['consent'],
): Fragment | undefined {
  const pages = [
    { label: links.website, url: clientUri },
    { label: links.policy, url: policyUri },
    { label: links.terms, url: tosUri },
  ].flatMap(({ label, url }) => (url === undefined ? [] : [{ label, url, host: new URL(url).host }]))
  const [first] = pages
  if (first === undefined) return undefined
  const isOneHost = pages.every(({ host }) => host === first.host)
  const items = pages.map(
    ({ label, url, host }) =>
      html`<li><a ${address('href', url)} target="_blank" rel="noopener noreferrer">${label}</a>${isOneHost ? undefined : html` ${hostOf(host)}`}</li>`,
  )
  return html`<div class="fine links"><p>${links.legend}${isOneHost ? html` ${hostOf(first.host)}` : undefined}</p>
<ul>${items}</ul></div>`
}

const hostOf = (host: string): Fragment => html`<bdi class="name">${host}</bdi>`

/** The user's decision on the consent page. */
export interface ConsentDecision {
  readonly decision: 'allow' | 'deny'
  /**
   * The scopes that the user left checked, with `openid` if it was requested; none after a denial. The server checks that
   * each of them was requested.
   */
  readonly grantedScopes: readonly string[]
  /** The details that the user approved, with the chosen values, if the page showed any. The server checks each of them. */
  readonly grantedDetails?: readonly { readonly id: string; readonly choice?: string }[] | undefined
  /** The organization that the user chose, if the page asked. The server checks that the user belongs to it. */
  readonly organization?: string | undefined
}

/**
 * Reads the form of `consentPage`. Everything but a clear approval is a denial: a malformed form, no decision or two, a
 * scope that is repeated or malformed. The server's `interaction()` checks that the form came from this page.
 */
export function readConsentForm(request: ServerRequest): ConsentDecision {
  const fields = formFields(request)
  if (fields === undefined || singleField(fields, 'decision') !== 'allow') return denied

  const grantedScopes = fieldValues(fields, 'scope')
  const repeats = new Set(grantedScopes).size < grantedScopes.length
  if (repeats || !grantedScopes.every(isScopeToken)) return denied
  const organization = singleField(fields, 'organization')
  return {
    decision: 'allow',
    grantedScopes,
    ...(fieldValues(fields, 'details').length > 0 && {
      grantedDetails: fieldValues(fields, 'detail').map((id) => withChoice(id, fields)),
    }),
    ...(organization !== undefined && { organization }),
  }
}

function withChoice(id: string, fields: ParameterList): { readonly id: string; readonly choice?: string } {
  const choice = singleField(fields, `choice.${id}`)
  return choice === undefined || choice === '' ? { id } : { id, choice }
}

/** RFC 6749 §3.3. */
const isScopeToken = (value: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(value)

const denied: ConsentDecision = { decision: 'deny', grantedScopes: [] }
