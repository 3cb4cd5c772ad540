/** What a check found: how bad it is, what it is, and how to mend it, each in one sentence. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  /** Which check it was, such as `discovery.issuer`: stable, for programs. */
  readonly check: string
  readonly what: string
  /** Undefined when nothing is to be mended. */
  readonly mend: string | undefined
}

export const ok = (check: string, what: string): Finding => ({ level: 'ok', check, what, mend: undefined })

/** It works, and could be better or safer. */
export const warn = (check: string, what: string, mend: string): Finding => ({ level: 'warn', check, what, mend })

/** It does not work, or is not safe. */
export const fail = (check: string, what: string, mend: string): Finding => ({ level: 'fail', check, what, mend })
