"""A real headless Chromium, and what tests ask of a page in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1400,900",
)

_IN_THE_PAGE = """
const found = [document.title];
for (const node of document.querySelectorAll("*")) {
  if (node.tagName === "SCRIPT") found.push(node.textContent, node.src);
  for (const attribute of node.attributes) found.push(attribute.value);
  for (const child of node.childNodes) if (child.nodeType !== 1) found.push(child.nodeValue);
  if ("value" in node) found.push(String(node.value));
}
return found.join("\\n");
"""


class Browser:
    """Chromium with the pages of a report.

    Args:
        driver: The running browser.
    """

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, folder: Path, page: str) -> None:
        """Load a page from disk, and wait until its scripts are done with it."""
        self.driver.get("about:blank")
        self.driver.get(f"{folder.resolve().as_uri()}/{page}")
        ready = {
            "replay.html": "!document.getElementById('stage').hidden || !document.getElementById('trouble').hidden"
        }
        wait = ready.get(page.partition("?")[0].partition("#")[0], "true")
        WebDriverWait(self.driver, 20, poll_frequency=0.05).until(lambda _: self.ask(f"return {wait}"))

    def ask(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def press(self, selector: str) -> None:
        """Click the first element that fits."""
        self.ask("document.querySelector(arguments[0]).click()", selector)

    def text(self, selector: str) -> str:
        """Text of the first element that fits."""
        return str(self.ask("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        """Text of all elements that fit."""
        return list(
            self.ask(
                "return [...document.querySelectorAll(arguments[0])].map((n) => n.textContent)", selector
            )
        )

    def everything(self) -> str:
        """All that the page holds: text, comments, attributes, values of controls; shown or not."""
        return str(self.ask(_IN_THE_PAGE))

    def complaints(self) -> list[Any]:
        """What the console has said since the last time."""
        return list(self.driver.get_log("browser"))  # type: ignore[no-untyped-call]


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start Chromium with a profile of its own; without one on this machine the test is skipped, but not in CI."""
    names = ("chromium", "chromium-browser", "google-chrome")
    binary = next((path for path in map(shutil.which, names) if path), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium and chromedriver on the PATH: install both")
        pytest.skip("needs chromium and chromedriver on the PATH")
    options = Options()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    running = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(running)
    finally:
        running.quit()
