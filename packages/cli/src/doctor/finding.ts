/** The result of a check: its level, what was found, and how to fix it, each in one sentence. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  /** The name of the check, such as `discovery.issuer`. Programs may depend on it. */
  readonly check: string
  readonly what: string
  /** Undefined when nothing needs to be fixed. */
  readonly fix: string | undefined
}

export const ok = (check: string, what: string): Finding => ({ level: 'ok', check, what, fix: undefined })

/** It works, but could be better or safer. */
export const warn = (check: string, what: string, fix: string): Finding => ({ level: 'warn', check, what, fix })

/** It does not work, or is not safe. */
export const fail = (check: string, what: string, fix: string): Finding => ({ level: 'fail', check, what, fix })
