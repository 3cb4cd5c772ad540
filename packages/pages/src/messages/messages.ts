import type { Fragment } from '../html.ts'
import type { RedirectDestination } from '../client-display.ts'

/** Why a sign-in form is shown again. */
export type SignInError = 'rejected' | 'incomplete' | 'throttled'

/**
 * Every text of the pages in one language. Sentences with something inside are functions, so that each language decides
 * on the order of its words.
 */
export interface Messages {
  /** BCP 47 tag, for `<html lang>`. */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  /** Stands in for a client whose name shows nothing. */
  readonly unnamedClient: string
  readonly consent: {
    readonly title: string
    readonly heading: (client: Fragment) => Fragment
    /** A client that describes itself, by the host of its description and the name that it gives itself. */
    readonly unverified: (names: { readonly host: Fragment; readonly client: Fragment }) => Fragment
    /** For such a client whose redirect stays on the device. */
    readonly deviceWarning: string
    readonly signedInAs: (account: Fragment) => Fragment
    readonly scopesLegend: string
    /** Above the organizations, of which the user chooses one. */
    readonly organizationsLegend: string
    readonly alwaysIncluded: string
    readonly grantedBefore: string
    /** The APIs that get the access. */
    readonly resources: (names: Fragment) => Fragment
    readonly destination: Readonly<Record<RedirectDestination['kind'], (name: Fragment) => Fragment>>
    readonly deny: string
    readonly allow: string
    /** Sentences for well-known scopes, instead of the server's own. Scopes that are not here keep the server's. */
    readonly scopes: Readonly<Record<string, string>>
  }
  readonly signIn: {
    readonly title: string
    readonly toContinue: (client: Fragment) => Fragment
    readonly username: string
    /** Below the field. */
    readonly usernameHints: Readonly<Record<'directory', string>>
    readonly password: string
    readonly submit: string
    readonly errorTitle: string
    /** They never say which of the two was wrong, nor whether the account exists. */
    readonly errors: Readonly<Record<SignInError, string>>
  }
  readonly error: {
    readonly title: string
    readonly advice: string
    readonly codeLabel: string
  }
  readonly logout: {
    readonly title: string
    /** The client that asks. It may have been named by anybody. */
    readonly askedBy: (client: Fragment) => Fragment
    readonly signedInAs: (account: Fragment) => Fragment
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
}
