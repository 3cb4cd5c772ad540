import { backup, DatabaseSync } from 'node:sqlite'

/** Copies a consistent snapshot while servers run. Copying the file alone would miss the write-ahead log. */
export async function backUp(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  await backup(database, target)
  database.close()
}
