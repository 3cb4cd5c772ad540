import type { ErrorText } from '../../languages/messages.ts'

/** A text with a placeholder, which `fill` replaces. */
type TextWith<Name extends string> = `${string}{${Name}}${string}`

/** Every text of the page for the IT of a customer in one language. The steps for a product are English. */
export interface SetupMessages {
  /** A language tag (BCP 47). */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  readonly skip: string
  readonly never: string
  /** The page at the link, before it is opened. */
  readonly open: { readonly title: string; readonly intro: string; readonly button: string }
  readonly heading: TextWith<'name'>
  readonly until: TextWith<'date'>
  readonly changeDone: string
  readonly state: {
    readonly title: string
    readonly off: string
    readonly suspended: string
    readonly noSecret: string
    readonly waiting: string
    readonly accepted: TextWith<'date'>
    readonly refused: TextWith<'date'>
    readonly secretMatches: string
    readonly secretUnknown: string
  }
  readonly test: { readonly label: string; readonly hint: string; readonly button: string }
  readonly values: { readonly title: string; readonly tenantUrl: string }
  readonly secrets: {
    readonly title: string
    readonly created: string
    readonly lastUsed: string
    readonly expires: string
    readonly empty: string
    readonly create: string
    readonly createHint: string
    readonly revoke: string
    readonly revokeHint: string
    readonly newTitle: string
    readonly once: string
    readonly tooMany: string
    readonly back: string
  }
  readonly steps: { readonly title: string; readonly of: TextWith<'product'> }
  readonly mapping: {
    readonly title: string
    readonly attribute: string
    readonly use: string
    readonly uses: Readonly<
      Record<'identity' | 'username' | 'name' | 'email' | 'phone' | 'locale' | 'active' | 'groups' | 'rest', string>
    >
  }
  readonly requests: {
    readonly title: string
    readonly empty: string
    readonly notListed: string
    readonly time: string
    readonly request: string
    readonly result: string
    readonly done: string
  }
  /** What a refusal means, and what to do at the directory. */
  readonly problems: Readonly<
    Record<
      | 'taken'
      | 'missing'
      | 'value'
      | 'unsupported'
      | 'tooMany'
      | 'tooLarge'
      | 'suspended'
      | 'protected'
      | 'credentials'
      | 'failed'
      | 'other',
      string
    >
  >
  readonly finish: {
    readonly title: string
    readonly text: string
    readonly button: string
    readonly doneTitle: string
    readonly doneText: string
  }
  readonly errors: {
    readonly code: string
    readonly reference: string
    readonly link: ErrorText
    readonly crossSite: ErrorText
    readonly refused: ErrorText
    readonly failed: ErrorText
    /** Whom to ask. */
    readonly ask: TextWith<'contact'>
    readonly askSender: string
  }
}
