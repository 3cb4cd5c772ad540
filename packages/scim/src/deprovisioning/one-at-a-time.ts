/**
 * Runs tasks that have one key one after the other, and others side by side: they would only get into each other's way
 * in storage.
 */
export function oneAtATime(): <Result>(key: string, task: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()

  return async (key, task) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(task, task)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
