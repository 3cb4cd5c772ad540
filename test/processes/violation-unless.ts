/** Returns the violation in a list, or an empty list if the condition holds. */
export const violationUnless = (condition: boolean, violation: string): readonly string[] =>
  condition ? [] : [violation]
