// a comment

  throw new Error("thrown here");
