import type { RedirectDestination } from '../client-display.ts'
import { type Fragment, html } from '../html.ts'

/** Why a sign-in form is shown again. */
export type SignInError = 'rejected' | 'incomplete' | 'throttled'

/** The scope values of OpenID Connect, and `organization`. The server describes them in English. */
export type StandardScope = 'openid' | 'profile' | 'email' | 'address' | 'phone' | 'offline_access' | 'organization'

/** A sentence that contains the placeholder `{Name}` anywhere. */
type TextWith<Name extends string> = `${string}{${Name}}${string}`

/**
 * Every text of the pages in one language, as plain text without markup. A translation keeps placeholders such as `{client}`;
 * a text without its placeholder is a type error.
 */
export interface Messages {
  /** The language tag (BCP 47), for `<html lang>`. */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  /** Shown instead of a name that is blank. */
  readonly unnamedClient: string
  readonly consent: {
    readonly title: string
    readonly heading: TextWith<'client'>
    /** For an unverified client: the host of its metadata document, and the name that it gives itself. */
    readonly unverified: TextWith<'host'> & TextWith<'client'>
    /** For an unverified client whose redirect stays on the device. */
    readonly deviceWarning: string
    readonly signedInAs: TextWith<'account'>
    readonly scopesLegend: string
    /** Above the authorization details, such as a payment. */
    readonly detailsLegend: string
    /** Above the organizations, of which the user chooses one. */
    readonly organizationsLegend: string
    readonly alwaysIncluded: string
    readonly grantedBefore: string
    /** The APIs that the access is for. `{names}` is a list of one or more. */
    readonly resources: TextWith<'names'>
    readonly destination: Readonly<Record<RedirectDestination['kind'], TextWith<'name'>>>
    /** Instead of `destination`, if the client is on another device (RFC 8628). */
    readonly otherDevice: string
    /** Links to pages of the client, which nobody has reviewed. */
    readonly links: {
      readonly legend: string
      readonly website: string
      readonly policy: string
      readonly terms: string
    }
    readonly deny: string
    readonly allow: string
    /** Descriptions by scope value, which replace the server's. Other scopes keep the server's descriptions. */
    readonly scopes: Readonly<Record<string, string>>
  }
  readonly signIn: {
    readonly title: string
    readonly toContinue: TextWith<'client'>
    readonly username: string
    /** Below the field. */
    readonly usernameHints: Readonly<Record<'directory', string>>
    readonly password: string
    readonly submit: string
    /** The label of the button of a form that asks only for the name. */
    readonly next: string
    /** The label of a checkbox. */
    readonly remember: string
    /** What screen readers call the list of other ways to sign in. */
    readonly alternatives: string
    /** The label of a button, on this page and on the account selection page, that leads back to the client. */
    readonly cancel: string
    /** The labels of links to pages of the host. */
    readonly forgotPassword: string
    readonly createAccount: string
    readonly errorTitle: string
    /** They never say whether the name or the password was wrong, or whether the account exists. */
    readonly errors: Readonly<Record<SignInError, string>>
  }
  readonly selectAccount: {
    readonly title: string
    readonly continueAs: TextWith<'account'>
    /** The label of a link on this page and on the consent page. */
    readonly another: string
  }
  readonly error: {
    readonly title: string
    readonly advice: string
    /** For a user whose account is deactivated. Nothing that the user could repeat helps. */
    readonly deactivated: string
    readonly codeLabel: string
    /** The label of the identifier that support can search for. */
    readonly referenceLabel: string
  }
  /** The pages on which a user approves a request of a device (RFC 8628 §3.3). */
  readonly device: {
    readonly enterTitle: string
    readonly enterText: string
    /** The label of the field. */
    readonly code: string
    readonly submit: string
    readonly problems: Readonly<Record<'unknown' | 'throttled', string>>
    /** A question that `goOn` and `stop` answer. */
    readonly confirmTitle: string
    /** Above the code. */
    readonly confirmText: TextWith<'client'>
    readonly warning: string
    readonly askedFrom: TextWith<'place'>
    readonly scopesLegend: string
    readonly stop: string
    readonly goOn: string
    readonly approved: { readonly title: string; readonly text: TextWith<'client'> }
    readonly denied: { readonly title: string; readonly text: TextWith<'client'> }
  }
  /** The page on which a user approves a request that a client made without a browser (CIBA Core 1.0). */
  readonly approval: {
    readonly title: string
    readonly heading: TextWith<'client'>
    /** Above the text that the client shows too, by which the user recognizes the request. */
    readonly message: string
    readonly warning: string
    readonly approved: { readonly title: string; readonly text: TextWith<'client'> }
    readonly denied: { readonly title: string; readonly text: TextWith<'client'> }
    readonly ended: { readonly title: string; readonly text: string }
  }
  readonly logout: {
    readonly title: string
    /** The client that asks. Its name may be false, because anybody can name a client. */
    readonly askedBy: TextWith<'client'>
    readonly signedInAs: TextWith<'account'>
    readonly signOut: string
    readonly stay: string
  }
  readonly signedOut: {
    readonly title: string
    readonly text: string
    /** The label of the link to the client, for users who do not wait. */
    readonly goOn: string
  }
  readonly stillSignedIn: {
    readonly title: string
    readonly text: string
  }
  /** Passkeys (WebAuthn), on the sign-in page and on a page of their own. */
  readonly passkeys: {
    /** The label of a button on the sign-in page. */
    readonly signIn: string
    readonly signInFailed: string
    readonly title: string
    readonly none: string
    /** The name of a passkey without a name. */
    readonly unnamed: string
    readonly since: TextWith<'date'>
    /** The labels of buttons. */
    readonly remove: string
    readonly add: string
    readonly addFailed: string
  }
  /** Connected apps and sessions. */
  readonly account: {
    readonly title: string
    readonly appsHeading: string
    readonly noApps: string
    readonly appSince: TextWith<'date'>
    readonly disconnect: string
    readonly sessionsHeading: string
    readonly thisBrowser: string
    readonly unknownBrowser: string
    readonly sessionTimes: TextWith<'since'> & TextWith<'used'>
    /** `{names}` is a list of one or more clients. */
    readonly sessionApps: TextWith<'names'>
    readonly endSession: string
    readonly endOthers: string
  }
}

/** Replaces the placeholders with the values. The text itself is escaped. */
export function fill(text: string, values: Readonly<Record<string, Fragment>>): Fragment {
  return html`${text.split(placeholder).map((part, at) => (at % 2 === 0 ? part : values[part]))}`
}

/** Returns the names of a text's placeholders, in alphabetical order. */
export const placeholdersOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(new RegExp(placeholder, 'g')), ([, name = '']) => name).toSorted()

const placeholder = /\{(\w+)\}/
