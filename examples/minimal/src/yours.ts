/** Stands for your user table, and has one user. In your table, hash the passwords with scrypt or argon2id. */
export const findUser = (username: string, password: string): Promise<{ readonly id: string } | undefined> =>
  Promise.resolve(username === 'ann' && password === 'example' ? { id: 'user-1' } : undefined)

/**
 * 32 random bytes in base64url, from your secret store. Create them once:
 * `node -p "crypto.randomBytes(32).toString('base64url')"`.
 */
export const sealingKey = process.env['SEALING_KEY'] ?? ''
