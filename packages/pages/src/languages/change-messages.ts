import type { Messages } from './messages.ts'

/** New values for some texts of a catalogue. */
type MessageChanges<Part = Messages> = {
  readonly [Key in keyof Part]?: Part[Key] extends string ? Part[Key] : MessageChanges<Part[Key]>
}

/** Returns a catalogue with some texts replaced: `changeMessages(german, { signIn: { title: 'Willkommen' } })`. */
export const changeMessages = (messages: Messages, changes: MessageChanges): Messages => merge(messages, changes)

function merge<Part extends object>(texts: Part, changes: MessageChanges<Part>): Part {
  const merged = Object.entries(changes).map(([key, change]) => {
    const text: unknown = Object.hasOwn(texts, key) ? texts[key as keyof Part] : undefined
    return [key, isGroup(text) && isGroup(change) ? merge(text, change) : (change ?? text)]
  })
  return { ...texts, ...(Object.fromEntries(merged) as Partial<Part>) }
}

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null
