import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { ParameterList } from '@mintmark/internal'
import { initial, redirectDestination, shownName } from './client-display.ts'
import { fieldValues, formFields, singleField } from './form.ts'
import { address, attribute, type Fragment, html, image } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'

interface ConsentPageInput extends Look {
  readonly client: {
    readonly clientName: string
    /** What is certain of a client whose name nobody has verified; the pending interaction has it. The page leads with it. */
    readonly unverifiedHost?: string | undefined
    /** Pages of the client, which the pending interaction has; https only. */
    readonly clientUri?: string | undefined
    readonly policyUri?: string | undefined
    readonly tosUri?: string | undefined
    /** Its logo at the server; the pending interaction has it. The policy of the page admits images from there only. */
    readonly logoUrl?: string | undefined
  }
  /** The validated redirect URI of the pending request. */
  readonly redirectUri: string
  /** The requested scopes, each with its sentence; `granted` when the person allowed it before. */
  readonly scopes: readonly ConsentScope[]
  /** What the client requests in detail; the pending interaction has it. The user decides on each entry (RFC 9396). */
  readonly details?: readonly ConsentDetail[] | undefined
  /** The APIs that the client requests access to; the pending interaction has them. */
  readonly resources?: readonly ConsentResource[] | undefined
  /** The organizations of the user that the tokens may be for. With more than one, the page asks for which. */
  readonly organizations?: readonly ConsentOrganization[] | undefined
  /** How the signed-in person knows the account: the pending interaction says it, or the host knows better. */
  readonly accountName: string | undefined
  /** Where the user signs in with another account; the pending interaction has it, unless the client accepts no other. */
  readonly switchAccountUrl?: string | undefined
}

interface ConsentDetail {
  readonly id: string
  readonly title: string
  readonly rows?: readonly { readonly label: string; readonly value: string }[] | undefined
  /** What the user can choose for the entry, such as an account. `grantedDetails` then has the value. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[] | undefined
}

interface ConsentResource {
  readonly name: string
}

interface ConsentOrganization {
  readonly organizationId: string
  readonly name: string
}

interface ConsentScope {
  readonly name: string
  readonly description: string
  readonly granted?: boolean | undefined
}

/**
 * Asks the resource owner (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.4): who asks, for what, as whom, and where it
 * leads. It posts to its own address, for `readConsentForm`. Every scope but `openid` can be left out (RFC 6749 §3.3).
 * @param request what it answers: the browser's language counts after the client's.
 */
export function consentPage(
  {
    client,
    redirectUri,
    scopes,
    details = [],
    resources = [],
    organizations = [],
    accountName,
    switchAccountUrl,
    ...look
  }: ConsentPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { consent } = messages
  const destination = redirectDestination(redirectUri)
  // Deny is the form's first button: Enter on a checkbox presses that one, and it must not be the one that gives. Allow stands
  // out, because the user came here to sign in.
  const { clientName, unverifiedHost } = client
  // A client that nobody has verified could show the logo of another one (RFC 7591 §5).
  const logoUrl = unverifiedHost === undefined ? client.logoUrl : undefined
  const letter = initial(unverifiedHost ?? clientName)
  // Where the logo cannot be loaded, browsers show the letter.
  const logo =
    logoUrl &&
    html`<span class="tile" aria-hidden="true">${image({ source: logoUrl, darkSource: undefined, alternative: letter ?? '' })}</span>`
  const host = unverifiedHost && html`<bdi class="name">${unverifiedHost}</bdi>`
  const isUnverifiedDevice = unverifiedHost !== undefined && destination.kind !== 'website'
  const body = html`<header>
${logo || (letter && html`<span class="tile" aria-hidden="true">${letter}</span>`)}
<h1>${fill(consent.heading, { client: host || shownName(clientName, messages.unnamedClient) })}</h1>
${host && html`<p>${fill(consent.unverified, { host, client: shownName(clientName, messages.unnamedClient, 40) })}</p>`}
${isUnverifiedDevice ? html`<p><strong>${consent.deviceWarning}</strong></p>` : undefined}
${accountName && html`<p>${fill(consent.signedInAs, { account: html`<bdi class="name">${accountName}</bdi>` })}</p>`}
${switchAccountUrl && html`<p><a ${address('href', switchAccountUrl)}>${messages.selectAccount.another}</a></p>`}
</header>
<form method="post">
${details.length === 0 ? undefined : detailList(details, consent)}
${scopes.length === 0 && details.length > 0 ? undefined : scopeList(scopes, consent)}
${organizations.length > 1 ? organizationChoice(organizations, consent) : undefined}
${resources.length === 0 ? undefined : html`<p class="fine">${fill(consent.resources, { names: namesOf(resources) })}</p>`}
<p class="fine">${fill(consent.destination[destination.kind], { name: html`<bdi class="name">${destination.name}</bdi>` })}</p>
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
    formAction: { redirectUri },
    images: logoUrl ? [logoUrl] : [],
    body,
  })
}

/** Each with its host: the label alone could be taken for a page of this server. */
function clientLinks(
  { clientUri, policyUri, tosUri }: ConsentPageInput['client'],
  { links }: Messages['consent'],
): Fragment | undefined {
  const pages = [
    [links.website, clientUri],
    [links.policy, policyUri],
    [links.terms, tosUri],
  ] as const
  const items = pages.map(
    ([label, url]) =>
      url &&
      html`<li><a ${address('href', url)} target="_blank" rel="noopener noreferrer">${label}</a> <bdi class="name">${new URL(url).host}</bdi></li>`,
  )
  if (items.every((item) => !item)) return undefined
  return html`<div class="fine links"><p>${links.legend}</p>
<ul>${items.map((item) => item || undefined)}</ul></div>`
}

const namesOf = (resources: readonly ConsentResource[]): Fragment =>
  html`${resources.map(({ name }, index) => html`${index === 0 ? undefined : ', '}<bdi class="name">${name}</bdi>`)}`

/** No organization is chosen beforehand: a token for the wrong customer shows the wrong data. */
const organizationChoice = (organizations: readonly ConsentOrganization[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.organizationsLegend}</legend>
<ul class="scopes">${organizations.map(
    ({ organizationId, name }) => html`<li><label class="row">
<input type="radio" name="organization" value="${organizationId}" required><span><bdi class="name">${name}</bdi></span>
</label></li>`,
  )}</ul>
</fieldset>`

const scopeList = (scopes: readonly ConsentScope[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.scopesLegend}</legend>
<ul class="scopes">${scopes.map((scope) => scopeRow(scope, consent))}</ul>
</fieldset>`

/** The hidden field says that the page has shown them, also if the user unchecks all of them. */
const detailList = (details: readonly ConsentDetail[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.detailsLegend}</legend>
<input type="hidden" name="details" value="shown">
<ul class="scopes">${details.map((detail) => detailRow(detail, { isOnly: details.length === 1 }))}</ul>
</fieldset>`

/** The only entry is what the request is about: the user allows it or denies the request. */
function detailRow({ id, title, rows = [], choices = [] }: ConsentDetail, { isOnly }: { isOnly: boolean }): Fragment {
  const facts = rows.map(({ label, value }) => html`<small>${label}: <bdi class="name">${value}</bdi></small>`)
  const text = html`<span>${title}${facts}</span>`
  const required = attribute('required', isOnly ? true : undefined)
  const radios = choices.map(
    ({ value, label }) => html`<label class="row">
<input type="radio" name="choice.${id}" value="${value}" ${required}><span>${label}</span>
</label>`,
  )
  return isOnly
    ? html`<li><div class="row">${icon('check')}${text}<input type="hidden" name="detail" value="${id}"></div>${radios}</li>`
    : html`<li><label class="row"><input type="checkbox" name="detail" value="${id}" checked>${text}</label>${radios}</li>`
}

function scopeRow(scope: ConsentScope, consent: Messages['consent']): Fragment {
  // A sentence of the host may be in another language, which another direction would rearrange.
  const sentence = Object.hasOwn(consent.scopes, scope.name)
    ? consent.scopes[scope.name]
    : html`<bdi>${scope.description}</bdi>`
  // OpenID Connect Core §3.1.2.1: without openid it is another kind of request, so it is not offered as a choice.
  if (scope.name === 'openid') {
    return html`<li class="row">
${icon('check')}<span>${sentence}<small>${consent.alwaysIncluded}</small></span>
<input type="hidden" name="scope" value="openid">
</li>`
  }
  const note = scope.granted === true ? html`<small>${consent.grantedBefore}</small>` : undefined
  return html`<li><label class="row">
<input type="checkbox" name="scope" value="${scope.name}" checked><span>${sentence}${note}</span>
</label></li>`
}

/** The user's decision on the consent page. */
export interface ConsentDecision {
  readonly decision: 'allow' | 'deny'
  /**
   * The scopes left checked, with `openid` when it was requested; none after a denial. The server checks that each of
   * them was requested.
   */
  readonly grantedScopes: readonly string[]
  /** The details that the user approved, with what they chose, if the page showed any. The server checks each of them. */
  readonly grantedDetails?: readonly { readonly id: string; readonly choice?: string }[] | undefined
  /** The organization that the user chose, if the page asked. The server checks that it is one of the user's. */
  readonly organization?: string | undefined
}

/**
 * Reads the form of `consentPage`. Whatever is not a clear yes is a no: a malformed form, no decision or two, a scope
 * that repeats or cannot be one. That the form came from this very page is for the server's `interaction()` to check.
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
