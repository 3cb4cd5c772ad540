/** Milliseconds from some moment on, with fractions: for how long something takes, whatever is done to the clock meanwhile. */
export const elapsed = (): number => performance.now()
