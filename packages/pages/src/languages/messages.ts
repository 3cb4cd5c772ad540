import type { RedirectDestination } from '../client-display.ts'
import { type Fragment, html } from '../html.ts'

/** Why a sign-in form is shown again. */
export type SignInError = 'rejected' | 'incomplete' | 'throttled'

/** The scope values of OpenID Connect, and the one for organizations. The server describes them in English. */
export type StandardScope = 'openid' | 'profile' | 'email' | 'address' | 'phone' | 'offline_access' | 'organization'

/** A sentence that contains the placeholder `{Name}`, wherever the grammar of the language puts it. */
type TextWith<Name extends string> = `${string}{${Name}}${string}`

/**
 * Every text of the pages in one language: plain text without markup. Placeholders, such as `{client}`, stay as they are; a text
 * without its placeholder is a type error.
 */
export interface Messages {
  /** BCP 47 tag, for `<html lang>`. */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  /** Stands in for a client whose name shows nothing. */
  readonly unnamedClient: string
  readonly consent: {
    readonly title: string
    readonly heading: TextWith<'client'>
    /** A client that describes itself, by the host of its description and the name that it gives itself. */
    readonly unverified: TextWith<'host'> & TextWith<'client'>
    /** For such a client whose redirect stays on the device. */
    readonly deviceWarning: string
    readonly signedInAs: TextWith<'account'>
    readonly scopesLegend: string
    /** Above what the user approves in detail, such as a payment. */
    readonly detailsLegend: string
    /** Above the organizations, of which the user chooses one. */
    readonly organizationsLegend: string
    readonly alwaysIncluded: string
    readonly grantedBefore: string
    /** The APIs that get the access: `{names}` is a list of one or more. */
    readonly resources: TextWith<'names'>
    readonly destination: Readonly<Record<RedirectDestination['kind'], TextWith<'name'>>>
    /** Links to pages of the client, which nobody has reviewed. */
    readonly links: {
      readonly legend: string
      readonly website: string
      readonly policy: string
      readonly terms: string
    }
    readonly deny: string
    readonly allow: string
    /** By scope value. They replace the server's descriptions; scopes that are not here keep those. */
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
    /** The links to pages of the host. */
    readonly forgotPassword: string
    readonly createAccount: string
    readonly errorTitle: string
    /** They never say which of the two was wrong, nor whether the account exists. */
    readonly errors: Readonly<Record<SignInError, string>>
  }
  readonly selectAccount: {
    readonly title: string
    readonly continueAs: TextWith<'account'>
    /** A link, also on the consent page. */
    readonly another: string
  }
  readonly error: {
    readonly title: string
    readonly advice: string
    readonly codeLabel: string
    /** Before the identifier that support can search for. */
    readonly referenceLabel: string
  }
  readonly logout: {
    readonly title: string
    /** The client that asks. It may have been named by anybody. */
    readonly askedBy: TextWith<'client'>
    readonly signedInAs: TextWith<'account'>
    readonly signOut: string
    readonly stay: string
  }
  readonly signedOut: {
    readonly title: string
    readonly text: string
    /** The link to the client, where users go on by themselves. */
    readonly goOn: string
  }
  readonly stillSignedIn: {
    readonly title: string
    readonly text: string
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

/** Puts the values in the place of the placeholders. The text itself is escaped, as every other text. */
export function fill(text: string, values: Readonly<Record<string, Fragment>>): Fragment {
  return html`${text.split(placeholder).map((part, at) => (at % 2 === 0 ? part : values[part]))}`
}

/** The names of a text's placeholders, in alphabetical order. */
export const placeholdersOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(new RegExp(placeholder, 'g')), ([, name = '']) => name).toSorted()

const placeholder = /\{(\w+)\}/
