/** A text with a placeholder, which `fill` replaces. */
type TextWith<Name extends string> = `${string}{${Name}}${string}`

/** A question before an action, and the button that carries the action out. */
export interface Question {
  /** The label of the button on the page of the record. */
  readonly label: string
  readonly title: TextWith<'name'>
  readonly consequence: string
}

/** Every text of the console in one language. Sentences of the administration API stay English. */
export interface Messages {
  /** A language tag (BCP 47). */
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  readonly skip: string
  readonly signedInAs: TextWith<'name'>
  readonly sections: {
    readonly overview: string
    readonly users: string
    readonly clients: string
    readonly directories: string
    readonly organizations: string
    readonly deliveries: string
    readonly audit: string
    readonly keys: string
  }
  readonly buttons: {
    readonly search: string
    readonly filter: string
    readonly create: string
    readonly save: string
    readonly cancel: string
    readonly next: string
    readonly first: string
    readonly done: string
  }
  /** Names of columns, facts and fields. */
  readonly labels: {
    readonly name: string
    readonly username: string
    readonly email: string
    readonly identifier: string
    readonly state: string
    readonly source: string
    readonly created: string
    readonly changed: string
    readonly time: string
    readonly expires: string
    readonly lastUsed: string
    readonly action: string
    readonly client: string
    readonly scopes: string
    readonly resources: string
    readonly browser: string
    readonly place: string
    readonly signedIn: string
    readonly clients: string
    readonly authentication: string
    readonly grantTypes: string
    readonly redirectUris: string
    readonly secret: string
    readonly tenantUrl: string
    readonly toleranceProfile: string
    readonly verifiedDomains: string
    readonly request: string
    readonly outcome: string
    readonly reason: string
    readonly actor: string
    readonly target: string
    readonly stage: string
    readonly message: string
    readonly attempts: string
    readonly due: string
    readonly roles: string
    readonly user: string
    readonly algorithm: string
  }
  readonly states: {
    readonly active: string
    readonly deactivated: string
    readonly blocked: string
    readonly enabled: string
    readonly disabled: string
    readonly suspended: string
    readonly revoked: string
    readonly pending: string
    readonly delivered: string
    readonly dead: string
  }
  readonly empty: string
  readonly unnamed: string
  readonly never: string
  /** The status after a change. */
  readonly changeDone: string
  readonly total: TextWith<'count'>
  readonly users: {
    readonly searchLabel: string
    readonly searchHint: string
    readonly host: string
    readonly grants: string
    readonly sessions: string
    readonly memberships: string
    readonly unknownBrowser: string
    readonly deactivate: Question
    readonly reactivate: Question
    readonly signOut: Question
    readonly revokeGrants: Question
    readonly revokeGrant: Question
    readonly endSession: Question
  }
  readonly clients: {
    readonly add: string
    readonly chooseKind: string
    readonly kinds: Readonly<
      Record<'web' | 'spa' | 'native' | 'service' | 'mcp', readonly [name: string, hint: string]>
    >
    readonly settings: string
    readonly secrets: string
    readonly redirectUriHint: string
    readonly scopesHint: string
    readonly disable: Question
    readonly enable: Question
    readonly rotate: Question
    readonly revokePrevious: Question
  }
  readonly directories: {
    readonly add: string
    readonly identifierHint: string
    readonly domainsHint: string
    readonly setUp: TextWith<'product'>
    readonly secrets: string
    readonly requests: string
    readonly noRequests: string
    readonly suspendedSince: TextWith<'date'>
    /** While the customer's IT has a link to set up the directory. */
    readonly setupLinkUntil: TextWith<'date'>
    readonly createSetupLink: Question
    readonly revokeSetupLink: Question
    readonly disable: Question
    readonly enable: Question
    readonly release: Question
    readonly rotate: Question
    readonly revokePrevious: Question
  }
  /** Agents that a directory provisions for its users. */
  readonly agents: {
    readonly title: string
    readonly owner: string
    readonly directory: string
    readonly ended: string
    readonly ownerInactive: string
    readonly directoryDisabled: string
    readonly byDirectory: string
    readonly byAdministrator: string
  }
  readonly secret: {
    readonly title: TextWith<'name'>
    readonly once: string
    /** After a rotation. */
    readonly previous: string
  }
  readonly audit: {
    readonly intro: string
    readonly download: string
    readonly filterHint: string
    readonly stages: Readonly<Record<'intended' | 'done' | 'refused' | 'failed', string>>
  }
  readonly deliveries: {
    readonly intro: string
    readonly requeue: Question
  }
  readonly keys: {
    readonly intro: string
    readonly signsFrom: string
    readonly dropsAt: string
    readonly states: Readonly<Record<'announced' | 'signing' | 'retired' | 'dropped', string>>
  }
  readonly organizations: {
    readonly add: string
    readonly members: string
  }
  readonly overview: {
    readonly attention: string
    readonly nothing: string
    readonly deadDeliveries: TextWith<'count'>
    readonly suspendedDirectories: TextWith<'count'>
    readonly actionsPerDay: string
    readonly chart: TextWith<'count'>
    /** At least this many, because the rest was not counted. */
    readonly atLeast: TextWith<'count'>
  }
  readonly errors: {
    readonly code: string
    readonly reference: string
    readonly back: string
    readonly signIn: string
    readonly refused: ErrorText
    readonly stale: ErrorText
    readonly missing: ErrorText
    readonly forbidden: ErrorText
    readonly failed: ErrorText
    readonly crossSite: ErrorText
    readonly notSignedIn: ErrorText
    readonly notAdministrator: ErrorText
  }
}

/** What happened, and what to do. */
export interface ErrorText {
  readonly title: string
  readonly advice: string
}
