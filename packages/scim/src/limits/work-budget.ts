/** The work that a request may still cause. All operations of a Bulk request share one budget. */
export interface WorkBudget {
  readonly left: () => number
  /** Spends units of work. @returns false, without spending any, when fewer are left: the request is then refused. */
  readonly spend: (units: number) => boolean
}

export function createWorkBudget(units: number): WorkBudget {
  let left = units
  return {
    left: () => left,
    spend(spent) {
      if (spent > left) return false
      left -= spent
      return true
    },
  }
}
