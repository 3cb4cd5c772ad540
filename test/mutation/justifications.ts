/** A change that tests cannot miss, with the reason. */
interface Justification {
  readonly file: string
  readonly condition: string
  /** As the command prints it. */
  readonly change: string
  readonly reason: string
}

export const justifications: readonly Justification[] = []
