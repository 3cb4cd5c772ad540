/** Stands for your user table and your password check. */
export const findUser = (email: unknown, password: unknown): { readonly id: string } | undefined =>
  email === 'ann@example.com' && password === 'example' ? { id: 'user-1' } : undefined
