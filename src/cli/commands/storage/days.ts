export const DAY = 86_400_000

/** What is deleted within so many days is told; later ones can wait. */
export const SOON_DAYS = 7
