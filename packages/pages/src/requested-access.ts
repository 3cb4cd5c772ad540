import { renderText } from './client-display.ts'
import { attribute, type Fragment, html } from './html.ts'
import { fill, type Messages } from './languages/messages.ts'
import { icon } from './page.ts'

/** What a client asks a user for. The user decides on each entry. */
export interface RequestedAccess {
  /** The requested scopes, each with a sentence that describes it. `granted`: the user allowed it before. */
  readonly scopes: readonly ConsentScope[]
  /** The authorization details (RFC 9396), from the pending interaction or approval. */
  readonly details?: readonly ConsentDetail[] | undefined
  /** The APIs that the client requests access to. */
  readonly resources?: readonly ConsentResource[] | undefined
  /** The organizations of the user that the tokens can be for. If there are several, the user chooses one on the page. */
  readonly organizations?: readonly ConsentOrganization[] | undefined
}

interface ConsentDetail {
  readonly id: string
  readonly title: string
  readonly rows?: readonly { readonly label: string; readonly value: string }[] | undefined
  /** The values that the user can choose from, such as accounts. `grantedDetails` has the chosen value. */
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

/** Renders the fields of a form that `readConsentForm` reads. */
export const accessLists = (
  { scopes, details = [], resources = [], organizations = [] }: RequestedAccess,
  consent: Messages['consent'],
): Fragment => html`${details.length === 0 ? undefined : detailList(details, consent)}
${scopes.length === 0 && details.length > 0 ? undefined : scopeList(scopes, consent)}
${organizations.length > 1 ? organizationChoice(organizations, consent) : undefined}
${resources.length === 0 ? undefined : html`<p class="fine">${fill(consent.resources, { names: namesOf(resources) })}</p>`}`

const namesOf = (resources: readonly ConsentResource[]): Fragment =>
  html`${resources.map(({ name }, index) => html`${index === 0 ? undefined : ', '}${renderText(name)}`)}`

/** Preselects no organization, because a token for the wrong organization shows the wrong data. */
const organizationChoice = (organizations: readonly ConsentOrganization[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.organizationsLegend}</legend>
<ul class="scopes">${organizations.map(
    ({ organizationId, name }) => html`<li><label class="row">
<input type="radio" name="organization" value="${organizationId}" required><span>${renderText(name)}</span>
</label></li>`,
  )}</ul>
</fieldset>`

const scopeList = (scopes: readonly ConsentScope[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.scopesLegend}</legend>
<ul class="scopes">${scopes.map((scope) => scopeRow(scope, consent))}</ul>
</fieldset>`

/** The hidden field says that the page has shown the details, even if the user unchecks all of them. */
const detailList = (details: readonly ConsentDetail[], consent: Messages['consent']): Fragment =>
  html`<fieldset>
<legend>${consent.detailsLegend}</legend>
<input type="hidden" name="details" value="shown">
<ul class="scopes">${details.map((detail) => detailRow(detail, { isOnly: details.length === 1 }))}</ul>
</fieldset>`

/** A single entry cannot be unchecked: it is the purpose of the request, so the user allows it or denies the request. */
function detailRow({ id, title, rows = [], choices = [] }: ConsentDetail, { isOnly }: { isOnly: boolean }): Fragment {
  const facts = rows.map(({ label, value }) => html`<small>${label}: ${renderText(value)}</small>`)
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
  // The host's sentence may be in a language with another writing direction, so `<bdi>` isolates it.
  const sentence = Object.hasOwn(consent.scopes, scope.name)
    ? consent.scopes[scope.name]
    : html`<bdi>${scope.description}</bdi>`
  // OpenID Connect Core §3.1.2.1: without openid the request would be of another kind, so openid cannot be unchecked.
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
