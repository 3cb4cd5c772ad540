/** Lets everybody else have their turn: storage that answers at once, as a file does, would keep the process to one request until it is done. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))
