/** Stands for your user table. Returns the name by which users recognize their account. */
export const nameOf = (subject: string): Promise<string> =>
  Promise.resolve(subject === 'user-1' ? 'ann@example.com' : '')
