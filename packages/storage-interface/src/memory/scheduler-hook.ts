/**
 * Stands where a real store does its input and output: it is awaited before each atomic step, and what follows until the
 * next pause happens at once. A test passes one that a scheduler resolves, and so tries every interleaving.
 */
export type SchedulerHook = () => Promise<void>
