import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import { renderClient, type ShownClient } from './client-display.ts'
import { fieldValues, formFields, singleField } from './form.ts'
import { address, attribute, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages, type SignInError } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'
import { passkeyScript } from './passkey-script.ts'
import { passkeyButton, passkeyOptions } from './passkeys.ts'

interface SignInPageInput extends Look {
  /** The client that the user signs in to. */
  readonly client?: ShownClient | undefined
  /** The initial value of the name field: the request's `login_hint`, or the name that the user typed before. */
  readonly loginHint?: string | undefined
  /**
   * `directory`: a hint tells users of a directory (SCIM) to enter the name of the directory and a slash first, because
   * usernames are unique only within a directory.
   * @defaultValue No hint.
   */
  readonly usernameHint?: 'directory' | undefined
  /**
   * Which fields the form has. `username`: only the name, for `readUsernameForm`. Your server then sends users of a customer to
   * the customer's own sign-in, or shows the page again with this name as `loginHint` and both fields.
   * @defaultValue Name and password.
   */
  readonly fields?: 'username' | undefined
  /** Other ways to sign in, such as the customer's own sign-in, in the order of the page: links below the form. */
  readonly alternatives?: readonly SignInAlternative[] | undefined
  /**
   * Shows the checkbox "Keep me signed in", for `remember` of `readSignInForm`. `checked`: it is checked at first.
   * @defaultValue No checkbox.
   */
  readonly remember?: 'checked' | 'unchecked' | undefined
  /**
   * The options for signing in with a passkey, as JSON (WebAuthn Level 3 §5.1.10), such as of
   * `generateAuthenticationOptions`. The page then has a button for it, and posts the field that `readPasskeyForm` reads.
   * @defaultValue No passkeys.
   */
  readonly passkey?: object | undefined
  /** Where the button "Cancel" posts the form, from the pending interaction; without it, the page has no such button. */
  readonly cancelUrl?: string | undefined
  /** Why the form is shown again. */
  readonly error?: SignInError | undefined
}

/** A link to another way to sign in. */
export interface SignInAlternative {
  /** What the link says, in the language of the page. */
  readonly label: string
  /** An address of your server, which begins the other sign-in and then completes the same interaction. */
  readonly url: string
}

/**
 * Renders the form for name and password, which posts to the address of the page, for `readSignInForm`. With an error, the
 * status is 403 (`rejected`), 400 (`incomplete`) or 429 (`throttled`).
 * @param request the request that the page answers. The browser's language is used if the client requests none.
 */
export function signInPage(
  {
    client,
    loginHint,
    usernameHint,
    fields,
    alternatives = [],
    remember,
    passkey,
    cancelUrl,
    error,
    ...look
  }: SignInPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { signIn } = messages
  const { forgotPasswordUrl, createAccountUrl } = look.brand ?? {}
  // Both fields are marked, so that the page does not reveal which of them was wrong.
  const invalid = attribute('aria-invalid', error === undefined || error === 'throttled' ? undefined : 'true')
  const describedBy = attribute('aria-describedby', error && 'error-text')
  const nameDescribedBy = [error && 'error-text', usernameHint && 'username-hint'].filter((id) => id !== undefined)
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${signIn.title}</h1>
${client && html`<p>${fill(signIn.toContinue, { client: renderClient(client, messages.unnamedClient) })}</p>`}
</header>
${error && errorSummary(signIn, error)}
<form method="post" ${passkeyOptions('get', passkey)}>
<div class="field">
<label for="username">${signIn.username}</label>
<input id="username" name="username" type="text" value="${loginHint}" autocomplete="${passkey ? 'username webauthn' : 'username'}" autocapitalize="none"
  spellcheck="false" dir="auto" required ${invalid} ${attribute('aria-describedby', nameDescribedBy.join(' ') || undefined)}>
${usernameHint && html`<p id="username-hint" class="fine">${signIn.usernameHints[usernameHint]}</p>`}
</div>
${fields === undefined ? passwordFields(messages, { invalid, describedBy, forgotPasswordUrl, remember }) : undefined}
<button class="primary" type="submit">${fields === undefined ? signIn.submit : signIn.next}</button>
${passkey && passkeyButton(messages.passkeys.signIn, { failure: messages.passkeys.signInFailed })}
${cancelUrl && cancelButton(cancelUrl, signIn.cancel)}
</form>
${alternatives.length > 0 ? alternativeLinks(alternatives, signIn.alternatives) : undefined}
${createAccountUrl && html`<p class="other"><a ${address('href', createAccountUrl)}>${signIn.createAccount}</a></p>`}`
  return page({
    brand: look.brand,
    messages,
    // Screen readers read the title first, so it says that something is wrong.
    title: error === undefined ? signIn.title : `${signIn.errorTitle} – ${signIn.title}`,
    status: error === undefined ? 200 : statusOf[error],
    formAction: 'leaves',
    script: passkey && passkeyScript,
    body,
  })
}

interface PasswordFields {
  readonly invalid: ReturnType<typeof attribute>
  readonly describedBy: ReturnType<typeof attribute>
  readonly forgotPasswordUrl: string | undefined
  readonly remember: SignInPageInput['remember']
}

const passwordFields = (
  { signIn }: Messages,
  { invalid, describedBy, forgotPasswordUrl, remember }: PasswordFields,
): Fragment => html`<div class="field">
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required ${invalid} ${describedBy}>
</div>
${forgotPasswordUrl && html`<p class="fine"><a ${address('href', forgotPasswordUrl)}>${signIn.forgotPassword}</a></p>`}
${
  remember &&
  html`<label class="row"><input type="checkbox" name="remember" value="yes" ${attribute('checked', remember === 'checked' ? '' : undefined)}><span>${signIn.remember}</span></label>`
}`

const alternativeLinks = (alternatives: readonly SignInAlternative[], label: string): Fragment =>
  html`<nav class="alternatives" aria-label="${label}">
${alternatives.map(({ label: text, url }) => html`<a ${address('href', url)}><bdi>${text}</bdi></a>`)}
</nav>`

/** Enter presses the first button of a form, so this button comes after the others. It needs no field of the form. */
export const cancelButton = (url: string, label: string): Fragment =>
  html`<button type="submit" ${address('formaction', url)} formnovalidate>${label}</button>`

/** Puts the focus on its heading, so that users of a keyboard or a screen reader begin with the error. */
function errorSummary(signIn: Messages['signIn'], error: SignInError): Fragment {
  return html`<div class="notice" role="alert">
<h2 tabindex="-1" autofocus>${icon('exclamation')}${signIn.errorTitle}</h2>
<p id="error-text">${signIn.errors[error]}</p>
</div>`
}

// RFC 9110 §15.5.4: 403 says that the credentials are not sufficient. 401 would need a challenge, which a form is not.
const statusOf: Readonly<Record<SignInError, number>> = { rejected: 403, incomplete: 400, throttled: 429 }

/** The user's input on the sign-in page. */
export interface SignInAttempt {
  /** At most 256 characters, without the spaces around it. */
  readonly username: string
  /** The password exactly as typed, at most 1024 characters. An attacker could use longer ones to make hashing expensive. */
  readonly password: string
  /** Whether the user checked "Keep me signed in". */
  readonly remember: boolean
}

/**
 * Reads the form of `signInPage` with the field of the name only. Returns `undefined` for a form with a password, which
 * `readSignInForm` reads, and if the form is malformed, or the name is missing, repeated or longer than 256 characters.
 */
export function readUsernameForm(request: ServerRequest): string | undefined {
  const fields = formFields(request)
  if (fields === undefined || fieldValues(fields, 'password').length > 0) return undefined
  const username = singleField(fields, 'username')?.trim()
  return username !== undefined && isWithin(username, 256) ? username : undefined
}

/**
 * Reads the form of `signInPage`. Returns `undefined` when the form is malformed, a field is missing or repeated, or a value
 * is too long; show the page again with the error `incomplete`.
 */
export function readSignInForm(request: ServerRequest): SignInAttempt | undefined {
  const fields = formFields(request)
  if (fields === undefined) return undefined

  const username = singleField(fields, 'username')?.trim()
  const password = singleField(fields, 'password')
  if (username === undefined || password === undefined) return undefined
  if (!isWithin(username, 256) || !isWithin(password, 1024)) return undefined
  return { username, password, remember: singleField(fields, 'remember') === 'yes' }
}

const isWithin = (text: string, maxLength: number): boolean => text.length > 0 && text.length <= maxLength
