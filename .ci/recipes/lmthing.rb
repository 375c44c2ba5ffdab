class Lmthing < Formula
  desc "Command-line runner for scripted LLM prompts"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    # {if aarch64-apple-darwin}
    on_arm do
      url "{url aarch64-apple-darwin}"
      sha256 "{sha256 aarch64-apple-darwin}"
    end
    # {end}
    # {if x86_64-apple-darwin}
    on_intel do
      url "{url x86_64-apple-darwin}"
      sha256 "{sha256 x86_64-apple-darwin}"
    end
    # {end}
  end

  on_linux do
    # {if aarch64-unknown-linux-gnu}
    on_arm do
      url "{url aarch64-unknown-linux-gnu}"
      sha256 "{sha256 aarch64-unknown-linux-gnu}"
    end
    # {end}
    # {if x86_64-unknown-linux-gnu}
    on_intel do
      url "{url x86_64-unknown-linux-gnu}"
      sha256 "{sha256 x86_64-unknown-linux-gnu}"
    end
    # {end}
  end

  def install
    bin.install "lmthing"
    generate_completions_from_executable(bin/"lmthing", "completions")
    (man1/"lmthing.1").write Utils.safe_popen_read(bin/"lmthing", "man")
    pkgshare.install "SKILL.md", "llms.txt"
  end

  test do
    system bin/"lmthing", "new", "hello"
    system bin/"lmthing", "test"
    assert_match version.to_s, shell_output("#{bin}/lmthing --version")
  end
end
