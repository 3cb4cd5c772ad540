/** Stands for your users. */
export const findByEmail = (email: string): Promise<{ readonly id: string } | undefined> =>
  Promise.resolve(email === 'ann@example.com' ? { id: 'user-1' } : undefined)

interface Message {
  readonly to: string
  readonly text: string
  /** The app on the phone opens the request with it. */
  readonly requestId: string
}

/** Stands for your push service, or for an e-mail with a link to your app. */
export const messages: Message[] = []
export const sendMessage = (message: Message): Promise<void> => Promise.resolve(void messages.push(message))
