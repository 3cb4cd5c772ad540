import type { RequestHead, ServerRequest, ServerResponse } from '@mintmark/core/http'
import { shownName } from './client-display.ts'
import { formFields, singleField } from './form.ts'
import { address, attribute, type Fragment, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill, type Messages, type SignInError } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'

interface SignInPageInput extends Look {
  /** The client that the user signs in to. */
  readonly client?: { readonly clientName: string } | undefined
  /**
   * The validated redirect URI of the pending request: with consent already remembered, the answer to this form leads
   * straight there, and the page's policy must admit it.
   */
  readonly redirectUri?: string | undefined
  /** The initial value of the name field: the request's `login_hint`, or what was typed before. */
  readonly loginHint?: string | undefined
  /**
   * `directory`: a hint says that a user of a directory (SCIM) enters its name and a slash first. Names are unique within a directory
   * only.
   * @defaultValue No hint.
   */
  readonly usernameHint?: 'directory' | undefined
  /** Why the form is shown again. */
  readonly error?: SignInError | undefined
}

/**
 * The form for name and password. It posts to its own address, for `readSignInForm`. With an error its status is 403
 * (`rejected`), 400 (`incomplete`) or 429 (`throttled`).
 * @param request what it answers: the browser's language counts after the client's.
 */
export function signInPage(
  { client, redirectUri, loginHint, usernameHint, error, ...look }: SignInPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { signIn } = messages
  const { forgotPasswordUrl, createAccountUrl } = look.brand ?? {}
  // Neither field is said to be the wrong one.
  const invalid = attribute('aria-invalid', error === undefined || error === 'throttled' ? undefined : 'true')
  const describedBy = attribute('aria-describedby', error && 'error-text')
  const nameDescribedBy = [error && 'error-text', usernameHint && 'username-hint'].filter((id) => id !== undefined)
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${signIn.title}</h1>
${client && html`<p>${fill(signIn.toContinue, { client: shownName(client.clientName, messages.unnamedClient) })}</p>`}
</header>
${error && errorSummary(signIn, error)}
<form method="post">
<div class="field">
<label for="username">${signIn.username}</label>
<input id="username" name="username" type="text" value="${loginHint}" autocomplete="username" autocapitalize="none"
  spellcheck="false" dir="auto" required ${invalid} ${attribute('aria-describedby', nameDescribedBy.join(' ') || undefined)}>
${usernameHint && html`<p id="username-hint" class="fine">${signIn.usernameHints[usernameHint]}</p>`}
</div>
<div class="field">
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required ${invalid} ${describedBy}>
</div>
${forgotPasswordUrl && html`<p class="fine"><a ${address('href', forgotPasswordUrl)}>${signIn.forgotPassword}</a></p>`}
<button class="primary" type="submit">${signIn.submit}</button>
</form>
${createAccountUrl && html`<p class="other"><a ${address('href', createAccountUrl)}>${signIn.createAccount}</a></p>`}`
  return page({
    brand: look.brand,
    messages,
    // A reader hears the title first, so it is the place to say that something is wrong.
    title: error === undefined ? signIn.title : `${signIn.errorTitle} – ${signIn.title}`,
    status: error === undefined ? 200 : statusOf[error],
    formAction: { redirectUri },
    body,
  })
}

/** Focus starts on its heading, so that keyboard and screen reader begin with what is wrong. */
function errorSummary(signIn: Messages['signIn'], error: SignInError): Fragment {
  return html`<div class="notice" role="alert">
<h2 tabindex="-1" autofocus>${icon('exclamation')}${signIn.errorTitle}</h2>
<p id="error-text">${signIn.errors[error]}</p>
</div>`
}

// RFC 9110 §15.5.4: 403 says that the credentials do not suffice; 401 would need a challenge that a form is not.
const statusOf: Readonly<Record<SignInError, number>> = { rejected: 403, incomplete: 400, throttled: 429 }

/** The user's input on the sign-in page. */
export interface SignInAttempt {
  /** At most 256 characters, without the spaces around it. */
  readonly username: string
  /** Exactly as typed, at most 1024 characters: hashing a longer one would be work for an attacker to give. */
  readonly password: string
}

/**
 * Reads the form of `signInPage`. `undefined` for a form that is malformed, misses a field or repeats it, or is out of
 * bounds: show the page again with the error `incomplete`.
 */
export function readSignInForm(request: ServerRequest): SignInAttempt | undefined {
  const fields = formFields(request)
  if (fields === undefined) return undefined

  const username = singleField(fields, 'username')?.trim()
  const password = singleField(fields, 'password')
  if (username === undefined || password === undefined) return undefined
  return isWithin(username, 256) && isWithin(password, 1024) ? { username, password } : undefined
}

const isWithin = (text: string, longest: number): boolean => text.length > 0 && text.length <= longest
