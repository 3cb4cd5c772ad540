/** Stands for your own password check and your own session. */
export const startSession = async (username: string, _password: string) =>
  Promise.resolve(username === 'ann' ? { subject: 'user-1', authTime: Math.floor(Date.now() / 1000) } : undefined)
