/** Stands for your user table: how a person knows their account. */
export const nameOf = (subject: string): Promise<string> =>
  Promise.resolve(subject === 'user-1' ? 'ann@example.com' : '')
