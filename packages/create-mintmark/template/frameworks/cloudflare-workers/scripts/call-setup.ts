/** Calls the set-up of a server. @returns what it has created, with the new secrets. @throws Error if it refuses. */
export async function callSetUp(server: string, key: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` }
  const answer = await fetch(`${server}/setup`, { method: 'POST', headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${server}/setup answered ${answer.status}: ${text}`)
  return text.trimEnd()
}
