// chai's own assertions, comparison and formatting, loaded on first use.
export * from 'chai/rest';
